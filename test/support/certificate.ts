import { createPublicKey, sign, type KeyObject } from 'node:crypto';

/** A self-signed certificate for loopback, valid for a year from now: Node signs, but does not write certificates. */
export function selfSigned(key: KeyObject): string {
  const name = sequence(der(0x31, sequence(oid('550403'), der(0x0c, Buffer.from('localhost')))));
  const time = (milliseconds: number): Buffer =>
    der(0x18, Buffer.from(`${new Date(milliseconds).toISOString().replace(/\D/g, '').slice(0, 14)}Z`));
  const day = 24 * 60 * 60 * 1000;
  const alternatives = sequence(
    der(0x82, Buffer.from('localhost')),
    der(0x87, Buffer.from([127, 0, 0, 1])),
    der(0x87, Buffer.from([...Array<number>(15).fill(0), 1])),
  );
  const extensions = sequence(
    sequence(oid('551d13'), der(0x01, Buffer.from([0xff])), der(0x04, sequence(der(0x01, Buffer.from([0xff]))))),
    sequence(oid('551d11'), der(0x04, alternatives)),
  );
  const algorithm = sequence(oid('2a864886f70d01010b'), der(0x05));
  const content = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([1])),
    algorithm,
    name,
    sequence(time(Date.now() - day), time(Date.now() + 365 * day)),
    name,
    createPublicKey(key).export({ type: 'spki', format: 'der' }),
    der(0xa3, extensions),
  );
  const signature = sign('sha256', content, key);
  return pem('CERTIFICATE', sequence(content, algorithm, der(0x03, Buffer.from([0]), signature)));
}

/** Bytes as PEM text. */
export function pem(label: string, bytes: Buffer): string {
  return `-----BEGIN ${label}-----\n${bytes.toString('base64').replaceAll(/.{64}(?=.)/g, '$&\n')}\n-----END ${label}-----\n`;
}

function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return der(0x30, ...parts);
}

function oid(hex: string): Buffer {
  return der(0x06, Buffer.from(hex, 'hex'));
}
