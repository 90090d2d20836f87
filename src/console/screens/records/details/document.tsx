import type { JSX } from 'preact';
import { Section } from '../../../components/layout.js';
import { pluralize } from '../../../format/text.js';

/** The parts of a document that the control API sends and that are shown here. */
export interface DocumentFile {
  readonly fileName: string;
  readonly content: { readonly base64: string };
}

/** The size of a document, with a link that downloads it. */
export function DocumentDetails({ file }: { readonly file: DocumentFile }): JSX.Element {
  const { base64 } = file.content;
  return (
    <Section title="Content">
      <p class="section-body">
        {pluralize(atob(base64).length, 'byte')}{' '}
        <a href={`data:application/octet-stream;base64,${base64}`} download={file.fileName}>
          Download
        </a>
      </p>
    </Section>
  );
}
