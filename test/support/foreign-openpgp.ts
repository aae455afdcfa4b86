// Other people's OpenPGP programs, Debian's gpg and sqop, as the tests use them: on throw-away folders, with keys that nothing protects.
// A program that is missing fails the tests that need it, with a message that says how to install it.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export type ForeignKey = { readonly privateArmor: string; readonly publicArmor: string };
export type Encryption = { readonly to?: readonly string[]; readonly signer?: string; readonly passphrase?: string };

export interface OpenPgpProgram {
  readonly name: string;
  /** A key of the profile, made as the program's own users would. */
  makeKey(): ForeignKey;
  /** A detached binary signature, armored. */
  sign(bytes: Uint8Array, privateArmor: string): string;
  verifies(bytes: Uint8Array, signature: string, publicArmor: string): boolean;
  /** An armored message to those keys, or under the passphrase, or both. */
  encrypt(bytes: Uint8Array, options: Encryption): Uint8Array;
  /** Throws if it can't be opened. */
  decrypt(message: Uint8Array | string, by: { readonly key?: string; readonly passphrase?: string }): string;
  close(): void;
}

type Run = { readonly status: number | null; readonly out: Buffer; readonly err: string };

function start(program: string, args: readonly string[], input: Uint8Array | string, env: NodeJS.ProcessEnv): Run {
  const { status, stdout, stderr, error } = spawnSync(program, args, { input, env, maxBuffer: 64 * 1024 * 1024 });
  if ((error as NodeJS.ErrnoException | undefined)?.code === 'ENOENT') throw new Error(howToInstall(program));
  if (error) throw error;
  return { status, out: stdout, err: stderr.toString() };
}

const howToInstall = (program: string): string =>
  `${program} is not installed, and these tests hold our OpenPGP against it. As root: apt-get install gpg gpg-agent sqop ` +
  `(elsewhere: sudo apt-get install gpg gpg-agent sqop; without root, put the programs anywhere on PATH).`;

function succeeded(program: string, { status, out, err }: Run): Buffer {
  if (status !== 0) throw new Error(`${program} ended with ${status}: ${err}`);
  return out;
}

/** A folder for what must be a file; removed by `close`. */
class Scratch {
  readonly folder = mkdtempSync(join(tmpdir(), 'rb-pgp-'));
  #files = 0;

  file(content: Uint8Array | string): string {
    const path = join(this.folder, `f${this.#files++}`);
    writeFileSync(path, content, { mode: 0o600 });
    return path;
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

const NOT_PROTECTED = ['--pinentry-mode', 'loopback', '--passphrase', ''];

export class Gpg implements OpenPgpProgram {
  readonly name = 'gpg';
  readonly #scratch = new Scratch();

  constructor() {
    // How hard its agent makes guessing is no concern of ours, and takes seconds.
    writeFileSync(join(this.#scratch.folder, 'gpg-agent.conf'), 's2k-count 65536\n');
  }

  /** Runs gpg on this folder. Throws what it said if it fails. */
  run(args: readonly string[], input: Uint8Array | string = ''): Buffer {
    return succeeded('gpg', this.#run(args, input));
  }

  makeKey(): ForeignKey {
    const fingerprint = this.generate('reedbed', 'ed25519', 'cert,sign');
    this.addSubkey(fingerprint, 'cv25519', 'encr');
    return this.exported(fingerprint);
  }

  /** A primary key without subkeys. @returns its fingerprint */
  generate(userId: string, algorithm: string, usage: string): string {
    const status = this.run([...NOT_PROTECTED, '--status-fd', '1', '--quick-gen-key', userId, algorithm, usage, 'never']).toString();
    const made = /KEY_CREATED \S ([0-9A-F]{40})/.exec(status)?.[1];
    if (made === undefined) throw new Error(`gpg made no key: ${status}`);
    return made;
  }

  addSubkey(fingerprint: string, algorithm: string, usage: string): void {
    this.run([...NOT_PROTECTED, '--quick-add-key', fingerprint, algorithm, usage, 'never']);
  }

  exported(fingerprint: string): ForeignKey {
    return {
      publicArmor: this.run(['--armor', '--export', fingerprint]).toString(),
      privateArmor: this.run([...NOT_PROTECTED, '--armor', '--export-secret-keys', fingerprint]).toString(),
    };
  }

  /** Takes a key, public or private. @returns its fingerprint */
  import(armor: string): string {
    const status = this.run([...NOT_PROTECTED, '--status-fd', '1', '--import'], armor).toString();
    const taken = /IMPORT_OK \d+ ([0-9A-F]{40})/.exec(status)?.[1];
    if (taken === undefined) throw new Error(`gpg took no key: ${status}`);
    return taken;
  }

  sign(bytes: Uint8Array, privateArmor: string, options: readonly string[] = []): string {
    const signer = this.import(privateArmor);
    return this.run([...NOT_PROTECTED, '--armor', '--local-user', signer, ...options, '--detach-sign'], bytes).toString();
  }

  verifies(bytes: Uint8Array, signature: string, publicArmor: string): boolean {
    const signer = this.import(publicArmor);
    const { out } = this.#run(['--status-fd', '1', '--verify', this.#scratch.file(signature), '-'], bytes);
    return out.toString().includes(`VALIDSIG`) && out.toString().trimEnd().includes(signer);
  }

  encrypt(bytes: Uint8Array, { to = [], signer, passphrase }: Encryption, options: readonly string[] = []): Uint8Array {
    const recipients = to.flatMap((armor) => ['--recipient-file', this.#scratch.file(armor)]);
    const signed = signer === undefined ? [] : ['--local-user', this.import(signer), '--sign'];
    const symmetric = passphrase === undefined ? [] : ['--symmetric'];
    const words = ['--pinentry-mode', 'loopback', '--passphrase', passphrase ?? ''];
    const encrypt = to.length === 0 ? [] : ['--encrypt'];
    const args = [...words, '--armor', '--trust-model', 'always', ...options, ...recipients, ...signed, ...symmetric, ...encrypt];
    return this.run(args, bytes);
  }

  decrypt(message: Uint8Array | string, { key, passphrase = '' }: { readonly key?: string; readonly passphrase?: string }): string {
    if (key !== undefined) this.import(key);
    return this.run(['--pinentry-mode', 'loopback', '--passphrase', passphrase, '--decrypt'], message).toString();
  }

  /** Ends the agent that gpg started for this folder, by its id, and removes the folder. */
  close(): void {
    try {
      const asked = start('gpg-connect-agent', ['--no-autostart', 'GETINFO pid', '/bye'], '', this.#environment);
      const pid = Number(/^D (\d+)$/m.exec(asked.out.toString())?.[1]);
      if (pid > 1) process.kill(pid, 'SIGTERM');
    } finally {
      this.#scratch.remove();
    }
  }

  #run(args: readonly string[], input: Uint8Array | string): Run {
    return start('gpg', ['--batch', '--yes', '--no-auto-check-trustdb', '--quiet', ...args], input, this.#environment);
  }

  get #environment(): NodeJS.ProcessEnv {
    return { ...process.env, GNUPGHOME: this.#scratch.folder, LC_ALL: 'C' };
  }
}

export class Sqop implements OpenPgpProgram {
  readonly name = 'sqop';
  readonly #scratch = new Scratch();

  /** Runs sqop. Throws what it said if it fails. */
  run(args: readonly string[], input: Uint8Array | string = ''): Buffer {
    return succeeded('sqop', start('sqop', args, input, process.env));
  }

  makeKey(...userIds: readonly string[]): ForeignKey {
    const privateArmor = this.run(['generate-key', '--', ...(userIds.length === 0 ? ['reedbed'] : userIds)]).toString();
    return { privateArmor, publicArmor: this.certificate(privateArmor) };
  }

  /** A key that names nobody. */
  makeNameless(): ForeignKey {
    const privateArmor = this.run(['generate-key']).toString();
    return { privateArmor, publicArmor: this.certificate(privateArmor) };
  }

  certificate(privateArmor: string): string {
    return this.run(['extract-cert'], privateArmor).toString();
  }

  sign(bytes: Uint8Array, privateArmor: string, ...more: readonly string[]): string {
    return this.run(['sign', '--', ...[privateArmor, ...more].map((armor) => this.#scratch.file(armor))], bytes).toString();
  }

  /** A signature of text: line ends are not part of what it says. */
  signText(bytes: Uint8Array, privateArmor: string): string {
    return this.run(['sign', '--as=text', '--', this.#scratch.file(privateArmor)], bytes).toString();
  }

  verifies(bytes: Uint8Array, signature: string, publicArmor: string): boolean {
    const files = [signature, publicArmor].map((content) => this.#scratch.file(content));
    return start('sqop', ['verify', ...files], bytes, process.env).status === 0;
  }

  encrypt(bytes: Uint8Array, { to = [], signer, passphrase }: Encryption): Uint8Array {
    const signed = signer === undefined ? [] : [`--sign-with=${this.#scratch.file(signer)}`];
    const words = passphrase === undefined ? [] : [`--with-password=${this.#scratch.file(passphrase)}`];
    return this.run(['encrypt', ...signed, ...words, '--', ...to.map((armor) => this.#scratch.file(armor))], bytes);
  }

  decrypt(message: Uint8Array | string, { key, passphrase }: { readonly key?: string; readonly passphrase?: string }): string {
    const words = passphrase === undefined ? [] : [`--with-password=${this.#scratch.file(passphrase)}`];
    const keys = key === undefined ? [] : [this.#scratch.file(key)];
    return this.run(['decrypt', ...words, '--', ...keys], message).toString();
  }

  close(): void {
    this.#scratch.remove();
  }
}
