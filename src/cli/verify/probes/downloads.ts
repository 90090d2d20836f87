import {
  InvalidResponseError,
  NotFoundError,
  type ApiPromise,
  type Corridor,
  type DownloadUrl,
  type RequestOptions,
} from '../../../index.js';
import { mayHaveTakenEffect } from '../outcome.js';
import { confirmed, contradicted, notTestable, type Probe } from '../probe.js';
import { payments } from '../samples.js';
import { lifetimeOf } from '../signed-url.js';
import { describeResponse, fieldsOf, identifier, isSuccess, requestOf, dateOf, type Session } from '../session.js';

/** A body with a signed URL, and when it was requested, by the clock of the platform. */
interface SignedUrl {
  readonly endpoint: 'documents.downloadUrl' | 'support.attachmentUrl';
  /** Undefined if the body has not exactly one URL. */
  readonly url: string | undefined;
  readonly body: unknown;
  readonly at: number | undefined;
  readonly requestId: string | undefined;
}

/** Requests the URL of a document of a listed payment, and of the attachment of --attachment. No file is downloaded. */
function signedUrls(session: Session): Promise<readonly SignedUrl[]> {
  return session.share('signed URLs', async () => {
    const found: SignedUrl[] = [];
    const request = async (
      endpoint: SignedUrl['endpoint'],
      call: (corridor: Corridor, options: RequestOptions) => ApiPromise<DownloadUrl>,
    ): Promise<void> => {
      try {
        const { url, body } = await session.read(endpoint, call);
        const { headers, requestId } = session.successes.get(endpoint) ?? {};
        found.push({ endpoint, url, body, at: dateOf(headers), requestId });
      } catch (error) {
        if (error instanceof NotFoundError) return;
        if (!(error instanceof InvalidResponseError)) throw error;
        found.push({ endpoint, url: undefined, body: error.body, at: undefined, requestId: error.requestId });
      }
    };
    const document = await listedDocument(session);
    if (document !== undefined)
      await request('documents.downloadUrl', (corridor, options) => corridor.documents.downloadUrl(document, options));
    const { attachment } = session.settings;
    if (attachment !== undefined)
      await request('support.attachmentUrl', (corridor, options) =>
        corridor.support.attachmentUrl(...attachment, options),
      );
    return found;
  });
}

async function listedDocument(session: Session): Promise<string | undefined> {
  for (const { authorization } of await payments(session)) {
    const { documents } = fieldsOf(authorization);
    const { id } = fieldsOf(Array.isArray(documents) ? documents[0] : undefined);
    if (typeof id === 'string' && id !== '') return id;
  }
  return undefined;
}

const noUrl = 'no listed payment names a document that exists, and there is no --attachment';

const urlBodies: Probe = {
  row: 'A-4',
  question: 'the response bodies of `support.attachmentUrl` and `documents.downloadUrl`',
  async run(session) {
    const urls = await signedUrls(session);
    if (urls.length === 0) return notTestable(noUrl);
    const evidence = urls
      .map(({ endpoint, body, requestId }) =>
        [
          endpoint,
          `fields ${Object.keys(fieldsOf(body)).map(identifier).slice(0, 5).join(', ')}`,
          ...requestOf(requestId),
        ].join(', '),
      )
      .join('; ');
    return urls.every(({ url }) => url !== undefined)
      ? confirmed(evidence)
      : contradicted(
          `not exactly one URL: ${evidence}`,
          'documents.download and support.downloadAttachment throw. Take the URL from body of the error.',
        );
  },
};

const urlLifetime: Probe = {
  row: 'A-27',
  question: 'how long a signed URL is valid',
  settings: ['behavior.urlLifetime'],
  async run(session) {
    const urls = await signedUrls(session);
    if (urls.length === 0) return notTestable(noUrl);
    const [seconds] = urls.flatMap(({ url, at, body }) =>
      url === undefined || at === undefined ? [] : (lifetimeOf(url, at, body) ?? []),
    );
    const evidence = urls.flatMap(({ requestId }) => requestOf(requestId)).join(', ');
    if (seconds === undefined || !(seconds > 0)) return notTestable(`the response shows no expiry: ${evidence}`);
    if (seconds === 300) return confirmed(`300 s: ${evidence}`);
    return contradicted(`${seconds} s: ${evidence}`, 'The client uses a URL at once. Do not store one for longer.', {
      behavior: { urlLifetime: seconds },
    });
  },
};

const deletion = (session: Session) =>
  session.share('deletion', async () => {
    const id = session.settings.writes?.deletedDocument;
    if (id === undefined) return undefined;
    const record = (note: string): Promise<void> => session.made({ kind: 'deleted document', id, note });
    const first = await session.call('documents.delete', { ids: { id } }).catch(async (error: unknown) => {
      if (mayHaveTakenEffect(error)) await record('may be deleted');
      throw error;
    });
    if (isSuccess(first)) await record(requestOf(first.requestId).join());
    else if (first.status === 409) await record('may be deleted');
    return { first, second: isSuccess(first) ? await session.call('documents.delete', { ids: { id } }) : undefined };
  });

const needsDocument = 'needs --delete-document';

const writeBodies: Probe = {
  row: 'A-5',
  question: 'the response bodies of `support.reply` and `documents.delete`',
  needs: ['writes'],
  async run(session) {
    const deleted = await deletion(session);
    if (deleted === undefined) return notTestable(`${needsDocument}; a reply would reach a person`);
    const evidence = `documents.delete: ${describeResponse(deleted.first)}`;
    if (!isSuccess(deleted.first)) return notTestable(evidence);
    const { body } = deleted.first;
    if (body === undefined) return confirmed(`${evidence}, no body`);
    return contradicted(
      `${evidence}, with a body`,
      'The client does not read it. Call corridor.request if you need it.',
    );
  },
};

const repeatedDelete: Probe = {
  row: 'A-20',
  question: 'the response to a repeated DELETE',
  needs: ['writes'],
  async run(session) {
    const deleted = await deletion(session);
    if (deleted === undefined) return notTestable(needsDocument);
    const { first, second } = deleted;
    if (second === undefined) return notTestable(`documents.delete: ${describeResponse(first)}`);
    const evidence = `the second documents.delete: ${describeResponse(second)}`;
    return second.status === 404
      ? confirmed(evidence)
      : contradicted(
          evidence,
          isSuccess(second)
            ? 'A repeated DELETE succeeds. Nothing changes for you: a retry after a lost response is a success too.'
            : 'After a lost response, documents.delete can throw although the document is deleted. Check before you report it.',
        );
  },
};

/** The probes of documents and attachments. */
export const downloadProbes: readonly Probe[] = [urlBodies, urlLifetime, writeBodies, repeatedDelete];
