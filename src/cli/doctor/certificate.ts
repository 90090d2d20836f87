import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { ReportCheck } from '../check.js';
import type { ClientCertificate } from './socket.js';

/** The paths of a client certificate and its private key. */
export interface CertificateFiles {
  readonly cert: string;
  readonly key: string;
}

/** Checks a client certificate and returns it if it can be used. */
export async function checkCertificateFiles(
  files: CertificateFiles,
  report: ReportCheck,
): Promise<ClientCertificate | undefined> {
  const check = 'client cert';
  const failed = async (detail: string, remedy: string): Promise<undefined> => {
    await report({ check, status: 'failed', detail, remedy });
    return undefined;
  };
  let cert: string;
  let key: string;
  let certificate: X509Certificate;
  try {
    [cert, key] = await Promise.all([readFile(files.cert, 'utf8'), readFile(files.key, 'utf8')]);
    certificate = new X509Certificate(cert);
    if (!certificate.checkPrivateKey(createPrivateKey(key)))
      return await failed(
        'the key does not belong to the certificate',
        'pass the key with which the certificate was requested',
      );
  } catch {
    return failed(
      'the certificate or its key cannot be read',
      'check both paths; both files must be PEM, and the key without a passphrase',
    );
  }
  const days = Math.floor((Date.parse(certificate.validTo) - Date.now()) / 86_400_000);
  if (days < 0) return failed(`expired on ${certificate.validTo}`, 'ask the platform for a new certificate');
  const name = /^CN=(.*)$/m.exec(certificate.subject)?.[1] ?? 'no common name';
  await report({ check, status: 'ok', detail: `${name}, valid for ${days} more days; its key belongs to it` });
  return { cert, key };
}

const rejections =
  /ALERT_(?:CERTIFICATE_\w+|BAD_CERTIFICATE|UNSUPPORTED_CERTIFICATE|UNKNOWN_CA|ACCESS_DENIED|DECRYPT_ERROR|HANDSHAKE_FAILURE)/;

/**
 * Returns the fix if the platform ended a TLS connection, with the alert in `code`, because of the client certificate.
 */
export function rejectionRemedy(code: string, hasCertificate: boolean): string | undefined {
  const [alert] = rejections.exec(code) ?? [];
  if (alert === undefined) return undefined;
  if (!hasCertificate || alert.endsWith('REQUIRED'))
    return `the platform ${alert.endsWith('HANDSHAKE_FAILURE') ? 'probably ' : ''}requires a client certificate (${code}): pass it with --cert and --cert-key`;
  return alert.endsWith('UNKNOWN_CA')
    ? `the platform does not trust the authority that signed the client certificate (${code}): send that authority to the platform, or use a certificate that the platform signed`
    : `the platform does not accept the client certificate (${code}): ask the platform which one it expects`;
}
