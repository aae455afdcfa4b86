// What somebody has begun to write, kept in this profile until it is published. One draft for each reed that is answered, one for new ones.
const PREFIX = 'reedbed-draft';

const nameOf = (draft: string): string => (draft === '' ? PREFIX : `${PREFIX} ${draft}`);

/** The parts of a draft; one empty part if there is none. */
export function readDraft(draft: string): string[] {
  const kept = stored(draft);
  if (kept === null) return [''];
  try {
    const parts: unknown = JSON.parse(kept);
    if (Array.isArray(parts) && parts.length > 0 && parts.every((part) => typeof part === 'string')) return parts;
  } catch {
    // Kept as plain text.
  }
  return [kept];
}

export function keepDraft(draft: string, parts: readonly string[]): void {
  try {
    if (parts.every((part) => part === '')) localStorage.removeItem(nameOf(draft));
    else localStorage.setItem(nameOf(draft), JSON.stringify(parts));
  } catch {
    // No room for a draft is no reason to stop somebody who writes.
  }
}

/** Forgets everything that was begun: who wrote it is no member here any more. */
export function dropDrafts(): void {
  try {
    for (const name of Object.keys(localStorage)) if (name.startsWith(PREFIX)) localStorage.removeItem(name);
  } catch {
    // Without storage there are none.
  }
}

function stored(draft: string): string | null {
  try {
    return localStorage.getItem(nameOf(draft));
  } catch {
    return null;
  }
}
