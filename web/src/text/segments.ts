// A reed's text cut into what is shown: plain text, tags, people, web addresses. Tags and people are those that the reed's claims know.
import { foldTag, isTag } from '../../../src/wire/claims.ts';

export type Segment =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'tag'; readonly text: string; readonly tag: string }
  | { readonly kind: 'person'; readonly userId: string }
  | { readonly kind: 'address'; readonly text: string };

const MARKED =
  /(?<address>(?<![\p{L}\p{N}])https?:\/\/[^\s<>"]+)|(?<tag>(?<![\p{L}\p{N}\p{M}_&/#])#[\p{L}\p{N}\p{M}_]{1,50}(?![\p{L}\p{N}\p{M}_#]))|(?<person>(?<![A-Za-z0-9._/@-])@[a-z2-7]{16}@[a-z2-7]{16}(?![A-Za-z0-9_/@-]))/gu;
const AFTER_ADDRESS = /[.,;:!?)\]}'"»”]+$/u;

export function segmentsOf(text: string): Segment[] {
  const segments: Segment[] = [];
  let from = 0;
  const push = (segment: Segment, start: number, end: number): void => {
    if (start > from) segments.push({ kind: 'text', text: text.slice(from, start) });
    segments.push(segment);
    from = end;
  };
  for (const match of text.matchAll(MARKED)) {
    const { index, groups } = match;
    if (groups?.['address']) {
      const address = groups['address'].replace(AFTER_ADDRESS, '');
      push({ kind: 'address', text: address }, index, index + address.length);
    } else if (groups?.['tag']) {
      const tag = foldTag(groups['tag'].slice(1));
      if (isTag(tag)) push({ kind: 'tag', text: groups['tag'], tag }, index, index + match[0].length);
    } else if (groups?.['person']) push({ kind: 'person', userId: groups['person'].slice(1) }, index, index + match[0].length);
  }
  if (from < text.length) segments.push({ kind: 'text', text: text.slice(from) });
  return segments;
}
