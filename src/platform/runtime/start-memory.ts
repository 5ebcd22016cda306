import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/**
 * V8 shrinks the space of young objects at a collection when little was allocated in the five seconds before, unless the space should have
 * grown since; so the third collection does it at the latest.
 */
const COLLECT_AT_MS = [6_000, 12_000, 18_000]

/**
 * Gives back what only the start of this process needed: loading modules makes the space of young objects grow to its full size, and an
 * idle process collects no garbage, so it would keep up to 35 MiB. With load the space grows again. The collections are those of young
 * objects, which take a few milliseconds.
 */
export function freeStartMemory(): void {
  setFlagsFromString('--expose-gc')
  const collect: (options: { type: 'minor' }) => void = runInNewContext('gc')
  for (const ms of COLLECT_AT_MS) setTimeout(() => collect({ type: 'minor' }), ms).unref()
}
