// An act's answer that is kept current: asked when a component begins, and again when its input changes or what it depends on may have. One
// question at a time, so that a device on which much happens still gets its answers.
import { ActError } from '../link/calls.ts';
import type { ActName, Acts } from '../link/protocol.ts';
import { failureText } from '../text/failures.ts';
import { session } from './session.svelte.ts';

type Options = {
  /** What makes the answer old when read inside: everything stored here, unless said otherwise. Answers of the server depend on less. */
  readonly on?: () => unknown;
};

export class Answer<K extends ActName> {
  value = $state.raw<Acts[K]['output'] | null>(null);
  /** What the value is the answer to. */
  input = $state.raw<Acts[K]['input'] | null>(null);
  /** Why there is no newer answer, in words; empty if there is one. */
  problem = $state('');
  /** The failure's code, for pages that say it in their own way. */
  code = $state('');
  readonly #act: K;
  #asking = '';
  #next: { readonly input: Acts[K]['input'] } | null = null;

  /** To be made while a component begins: it lasts as long as that. */
  constructor(act: K, input: () => Acts[K]['input'], { on = () => session.changes }: Options = {}) {
    this.#act = act;
    $effect(() => {
      void on();
      this.#ask(input());
    });
  }

  #ask(input: Acts[K]['input']): void {
    const text = JSON.stringify(input);
    if (this.#asking === text) {
      this.#next = { input };
      return;
    }
    this.#asking = text;
    this.#next = null;
    session.calls
      .ask(this.#act, input)
      .then(
        (value) => {
          if (this.#asking !== text) return;
          this.value = value;
          this.input = input;
          this.problem = this.code = '';
        },
        (error: unknown) => {
          if (this.#asking !== text) return;
          this.problem = failureText(error);
          this.code = error instanceof ActError ? error.code : 'FAILED';
        },
      )
      .finally(() => {
        if (this.#asking !== text) return;
        this.#asking = '';
        if (this.#next) this.#ask(this.#next.input);
      });
  }
}
