// How many are new, on a mark and in words. More than a mark has room for is not counted.
import { countText } from './dates.ts';

const MOST = 50;

export const markText = (count: number): string => (count > MOST ? `${countText(MOST)}+` : countText(count));

export const freshText = (count: number): string => (count > MOST ? `more than ${countText(MOST)} new` : `${countText(count)} new`);
