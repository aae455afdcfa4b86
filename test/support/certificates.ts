// A certificate authority of a test's own, and certificates of names: X.509 written by hand, since Node reads certificates and makes none.
import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';

export type Authority = {
  /** PEM. */
  readonly certificate: string;
  issue(name: string): { readonly cert: string; readonly key: string };
};

const tlv = (tag: number, ...parts: Uint8Array[]): Buffer => {
  const content = Buffer.concat(parts);
  const { length } = content;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
};
const sequence = (...parts: Uint8Array[]): Buffer => tlv(0x30, ...parts);
const oid = (hex: string): Buffer => tlv(0x06, Buffer.from(hex, 'hex'));
const time = (text: string): Buffer => tlv(0x18, Buffer.from(text));
const nameOf = (name: string): Buffer => sequence(tlv(0x31, sequence(oid('550403'), tlv(0x0c, Buffer.from(name)))));
const extension = (id: string, value: Buffer): Buffer => sequence(oid(id), tlv(0x01, Buffer.from([255])), tlv(0x04, value));
const bits = (bytes: Uint8Array): Buffer => tlv(0x03, Buffer.from([0]), bytes);

const ECDSA_WITH_SHA256 = sequence(oid('2a8648ce3d040302'));
const VALIDITY = sequence(time('20000101000000Z'), time('29990101000000Z'));
const IS_AUTHORITY = extension('551d13', sequence(tlv(0x01, Buffer.from([255]))));
const isNamed = (name: string): Buffer => extension('551d11', sequence(tlv(0x82, Buffer.from(name))));

const makeKeys = () => generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
const pem = (der: Buffer): string => `-----BEGIN CERTIFICATE-----\n${der.toString('base64')}\n-----END CERTIFICATE-----\n`;

let serial = 0;

function certificate(of: { name: string; key: KeyObject; extension: Buffer }, by: { name: string; key: KeyObject }): string {
  serial += 1;
  const version = tlv(0xa0, tlv(0x02, Buffer.from([2])));
  const subject = of.key.export({ format: 'der', type: 'spki' });
  const extensions = tlv(0xa3, sequence(of.extension));
  const number = tlv(0x02, Buffer.from([serial]));
  const body = sequence(version, number, ECDSA_WITH_SHA256, nameOf(by.name), VALIDITY, nameOf(of.name), subject, extensions);
  return pem(sequence(body, ECDSA_WITH_SHA256, bits(sign('sha256', body, by.key))));
}

export function makeAuthority(): Authority {
  const own = makeKeys();
  const by = { name: 'Test authority', key: own.privateKey };
  return {
    certificate: certificate({ name: by.name, key: own.publicKey, extension: IS_AUTHORITY }, by),
    issue: (name) => {
      const { publicKey, privateKey } = makeKeys();
      const key = privateKey.export({ format: 'pem', type: 'pkcs8' }) as string;
      return { cert: certificate({ name, key: publicKey, extension: isNamed(name) }, by), key };
    },
  };
}
