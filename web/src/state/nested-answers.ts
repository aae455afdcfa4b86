// The parts of a tree of answers: a list of them shows items, and an item shows a further list, which is handed down to it.
import type { Component } from 'svelte';
import type { ListedView, StatsView } from '../link/community.ts';

export type AnswersProps = {
  readonly reedId: string;
  readonly kind: 'replies' | 'echoes';
  readonly stats: StatsView | null;
  readonly label: string;
  readonly depth?: number;
  readonly Nested: Component<AnswersProps>;
};

export type AnswerItemProps = { readonly listed: ListedView; readonly depth: number; readonly Nested: Component<AnswersProps> };
