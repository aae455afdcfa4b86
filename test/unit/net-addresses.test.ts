// Where calls to other servers may go: every spelling of an address, every range that is not the internet's, every kind of odd origin.
import { describe, expect, test } from 'vitest';
import { reachOf } from '../../src/net/addresses.ts';
import { vetOrigin } from '../../src/net/origin.ts';
import { AddressRefused, vetted } from '../../src/net/resolve.ts';

describe('an address', () => {
  test.each(['93.184.216.34', '1.1.1.1', '223.255.255.255', '2606:4700::1111', '::ffff:1.1.1.1', '64:ff9b::1.1.1.1', '2002:101:101::1'])(
    '%s is of the internet',
    (address) => expect(reachOf(address)).toBe('public'),
  );

  test.each([
    ...['10.0.0.1', '100.64.0.1', '100.127.255.255', '127.0.0.1', '127.255.255.254', '172.16.0.1', '172.31.255.255', '192.168.1.1'],
    ...['::1', '0:0:0:0:0:0:0:1', 'fc00::1', 'fdff::1', '::ffff:127.0.0.1', '::ffff:7f00:1', '::127.0.0.1', '::ffff:0:10.0.0.1'],
    ...[
      '64:ff9b::10.0.0.1',
      '64:ff9b::7f00:1',
      '2002:7f00:1::',
      '2002:a00:1::1',
      '2400::5efe:10.0.0.1',
      '2400::200:5efe:127.0.0.1',
      '0:0:0:0:0:FFFF:192.168.0.1',
    ],
  ])('%s is somebody’s own', (address) => expect(reachOf(address)).toBe('private'));

  test.each([
    ...[
      '0.0.0.0',
      '0.1.2.3',
      '169.254.169.254',
      '100.100.100.200',
      '168.63.129.16',
      '192.0.0.192',
      '192.0.2.1',
      '192.88.99.1',
      '198.18.0.1',
    ],
    ...['198.51.100.1', '203.0.113.1', '224.0.0.1', '239.255.255.255', '240.0.0.1', '255.255.255.255'],
    ...['::', 'fe80::1', 'fe80::1%eth0', 'fec0::1', 'ff02::1', '2001::1', '2001:db8::1', '3fff::1', 'fd00:ec2::254', '100::1', '4000::1'],
    ...['64:ff9b:1::1', '::ffff:169.254.169.254', '64:ff9b::169.254.169.254', '2002:a9fe:a9fe::', '::ffff:0.0.0.0', '::ffff:224.0.0.1'],
    ...['', 'localhost', '2130706433', '0x7f.1', '127.1', '::g', '1.2.3.4.5', ' 1.1.1.1'],
  ])('%j is no peer’s', (address) => expect(reachOf(address)).toBe('never'));
});

describe('an origin', () => {
  const strict = (text: string): boolean => vetOrigin(text, { allowPrivate: false }).ok;
  const loose = (text: string): boolean => vetOrigin(text, { allowPrivate: true }).ok;

  test.each(['https://reeds.example', 'https://a.b.reeds.example:8443', 'https://xn--bcher-kva.example', 'https://1a.example'])(
    '%s is taken',
    (text) => expect([strict(text), loose(text)]).toEqual([true, true]),
  );

  test.each([
    ...['', 'reeds.example', '//reeds.example', 'ftp://reeds.example', 'ws://reeds.example', 'file:///etc/passwd', 'data:,x'],
    ...[
      'https://reeds.example/',
      'https://reeds.example/x',
      'https://reeds.example?x',
      'https://reeds.example#x',
      ' https://reeds.example',
    ],
    ...['https://reeds.example\n', 'https://reeds.example:443', 'https://REEDS.example', 'HTTPS://reeds.example', 'https:reeds.example'],
    ...['https://u@reeds.example', 'https://u:p@reeds.example', 'https://reeds.example@127.0.0.1', 'https://127.0.0.1\\@reeds.example'],
    ...['https://reeds.example.', 'https://.reeds.example', 'https://reeds..example', 'https://reeds_x.example', 'https://-a.example'],
    ...['https://bücher.example', 'https://xn--a.example', 'https://reeds。example', 'https://ｒeeds.example', 'https://reeds%2eexample'],
    ...['https://2130706433', 'https://0x7f.1', 'https://0x7f000001', 'https://0177.0.0.1', 'https://017700000001', 'https://127.1'],
    ...['https://①②⑦.0.0.1', 'https://127.0.0.1.', 'https://127.0.0.01', 'https://[::ffff:127.0.0.1]', 'https://[0:0:0:0:0:0:0:1]'],
    ...[
      'https://[fe80::1%25eth0]',
      'https://[fe80::1]',
      'https://0.0.0.0',
      'https://169.254.169.254',
      'https://[::]',
      'https://255.255.255.255',
    ],
    ...[
      'https://[::ffff:a9fe:a9fe]',
      'https://[fd00:ec2::254]',
      'https://224.0.0.1',
      'https://reeds.example:0',
      `https://${'a.'.repeat(130)}example`,
    ],
  ])('%j is refused, whatever is allowed', (text) => expect([strict(text), loose(text)]).toEqual([false, false]));

  test.each([
    ...[
      'http://reeds.example',
      'https://localhost',
      'https://reeds',
      'https://a.localhost',
      'https://printer.local',
      'https://db.internal',
    ],
    ...['https://nas.home.arpa', 'https://127.0.0.1', 'http://127.0.0.1:8080', 'https://10.0.0.1', 'https://[::1]', 'https://[fd00::1]'],
    ...[
      'https://93.184.216.34',
      'https://[2606:4700::1111]',
      'https://reeds.example:22',
      'https://reeds.example:80',
      'https://reeds.example:1023',
    ],
  ])('%s is refused unless private peers are allowed', (text) => expect([strict(text), loose(text)]).toEqual([false, true]));
});

describe('a name', () => {
  const lead = (...addresses: string[]) => vetted(async () => addresses, 'reeds.example', { allowPrivate: false });

  test('leads to all its addresses', async () => {
    expect(await lead('1.1.1.1', '2606:4700::1111')).toEqual([
      { address: '1.1.1.1', family: 4 },
      { address: '2606:4700::1111', family: 6 },
    ]);
  });

  test.each(['127.0.0.1', '::1', '::ffff:10.0.0.1', '64:ff9b::127.0.0.1', '169.254.169.254', 'fe80::1%1', 'nonsense'])(
    'one of whose addresses is %s is refused whole',
    async (address) => {
      await expect(lead('1.1.1.1', address)).rejects.toThrow(AddressRefused);
    },
  );

  test('may lead into a private network where that is allowed, and to metadata services never', async () => {
    const allowed = (address: string) => vetted(async () => [address], 'reeds', { allowPrivate: true });
    expect(await allowed('192.168.0.7')).toHaveLength(1);
    await expect(allowed('169.254.169.254')).rejects.toThrow(AddressRefused);
  });
});
