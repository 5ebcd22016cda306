import { read } from './dom.ts'

/** Tag that loads this script. In a module, and where another script runs this one, `currentScript` is null. */
export const tag = (read(document, 'currentScript') ||
  Document.prototype.querySelector.call(document, 'script[src][data-key]')) as HTMLScriptElement | null

const src = tag ? tag.src : ''

/** Of the page. */
export const { hostname } = location

/**
 * `data-` attributes of the tag, and without `data-` also the query of its address: tag managers drop such attributes. A switch is on
 * when its attribute is present, whatever the value.
 */
export const options: Record<string, string | undefined> = {}
if (src)
  new URL(src).searchParams.forEach((value, name) => {
    options[name] = value
  })
Object.assign(options, tag && tag.dataset)

/** Address of a file beside this script. */
export const beside = (file: string): string => src.replace(/[^/]*([?#].*)?$/, file)

/** `…/js/script.js` sends to `…/api`; under an alias the endpoints are in the same folder as the script. */
export const endpoints = options.api || beside('').slice(0, -1).replace(/\/js$/, '/api')

/** Tells developers what keeps the script from its work. */
export const say = (text: string): void => console.info(`analytics: ${text}`)

declare global {
  interface Navigator {
    readonly globalPrivacyControl?: boolean
  }
}
