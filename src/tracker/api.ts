import { cut, MAX_NAME, properties } from './limits.ts'
import { currentPage, type PageviewOptions, view } from './pages.ts'
import { send } from './send.ts'

export interface EventOptions extends PageviewOptions {
  revenue?: { amount: number; currency: string }
}

export interface Traits {
  name?: string
  avatar?: string
  custom?: object
  signature?: string
}

/** Returns a copy that JSON can have; undefined for what it cannot, so that the rest of the hit is sent. */
function plain(value: unknown): unknown {
  try {
    return JSON.parse(JSON.stringify(value))
  } catch {}
}

/** Sends an event. `error` holds the details of a reported error. */
export function track(name: unknown, given?: EventOptions, error?: object): void {
  const options = given || {}
  send('event', currentPage(options), {
    name: cut(name, MAX_NAME),
    properties: properties(options.props),
    $: plain(options.revenue),
    error,
  })
}

/** `analytics(name, options)`, `analytics('pageview', options)`, `analytics('identify', id, traits)`. */
export function call([name, second, third]: Iterable<unknown>): void {
  // With an object as second argument this is an event called `identify`: options are an object, an id is not.
  if (name === 'identify' && second !== Object(second)) {
    const { name, signature, avatar, custom } = (third || {}) as Traits
    send('identify', currentPage(), {
      identifier: cut(second, MAX_NAME),
      name: cut(name, MAX_NAME),
      signature: plain(signature),
      // The API refuses other values and more than 255 characters; a truncated address would be useless.
      avatar: /^http.{1,251}$/.test(avatar!) ? avatar : undefined,
      custom: properties(custom),
    })
  } else if (name === 'pageview') view((second || {}) as PageviewOptions)
  else track(name, second as EventOptions)
}
