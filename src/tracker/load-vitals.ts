import { landing } from './pages.ts'
import { send } from './send.ts'
import { tag } from './settings.ts'

/** Tag of the script that measures web vitals, with what that script needs. */
export interface VitalsTag extends HTMLScriptElement {
  /** Sends a report of the page whose loading was measured. */
  send(fields: object): void
}

const vitals = document.createElement('script') as VitalsTag

/** Loads the script that measures web vitals, from where this one came. The browser runs a tag only once. */
export function loadVitals(): void {
  vitals.src = new URL('vitals.js', tag.src) as unknown as string
  vitals.send = fields => send('web-vitals', landing!, fields)
  tag.after(vitals)
}
