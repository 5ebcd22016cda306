import { options, say } from './settings.ts'

/** A constant of the page at the top level of its scripts; it is none of the window. */
declare const analytics: unknown

const name = options.name || 'analytics'
const names = window as unknown as Record<string, unknown>

/** What the scripts of the page find under the name. */
function found(): unknown {
  try {
    return name === 'analytics' && typeof analytics !== 'undefined' ? analytics : names[name]
  } catch (error) {
    return error
  }
}

/** The function of the documents that keeps calls until the script is there; others have properties of their own, or no queue. */
const isStub = (value: unknown): value is { q?: Iterable<unknown>[] } =>
  typeof value === 'function' &&
  /^q?$/.test(Object.keys(value).join()) &&
  /\bq\b/.test(Function.prototype.toString.call(value))

let isSaid = false
function sayTaken(): void {
  if (!isSaid) say(`window.${name} belongs to another script: choose a name with data-name`)
  isSaid = true
}

/**
 * Gives the page the function under its name, and leaves alone what another script has there. A script that comes later may take the name;
 * one that takes the function for a list of its own, as the snippet of Segment does, gets a `push`.
 * @returns the calls that were made before
 */
export function claim(own: { push?: () => void }): Iterable<unknown>[] {
  const before = found()
  own.push = sayTaken
  try {
    if (before == null || isStub(before))
      Object.defineProperty(window, name, {
        configurable: true,
        enumerable: true,
        get: () => own,
        set(value) {
          if (value === own || isStub(value)) return
          delete names[name]
          names[name] = value
          sayTaken()
        },
      })
  } catch {}
  if (found() !== own) sayTaken()
  return (isStub(before) && before.q) || []
}
