import type { Page, send } from './send.ts'

/** What the first script passes to those that it loads, with their tags. */
export interface Passed {
  /** Page of the answer that named the script: the one that was loaded, unless the visitor was faster. */
  page: Page | undefined
  send: typeof send
  options: Record<string, string | undefined>
  endpoints: string
}

/** Returns what a tag was given. */
export const passedTo = (tag: unknown): Passed => (tag as { analytics: Passed }).analytics
