import { patternsOf } from './patterns.ts'

/** The tag that loads this script, which is no module. */
const tag = document.currentScript as HTMLScriptElement

/** The `data-` attributes of the tag. Switches are on when they are there, whatever they say. */
export const options = tag.dataset

/** `…/js/script.js` belongs to `…/api`; under an alias the endpoints are the script's neighbours. */
export const endpoints = options.api || tag.src.replace(/\/[^/]*$/, '').replace(/\/js$/, '/api')

export const excluded = patternsOf(options.exclude)

declare global {
  interface Navigator {
    readonly globalPrivacyControl?: boolean
  }
}

/**
 * Whether this page is one to track at all: no file, no local one, none inside another. People try the script on their own
 * machine first, where its silence would look like a fault: the console says what to do.
 */
export const isTracked = (hostname = location.hostname): unknown =>
  self === top &&
  (options.dnt == null || !(+navigator.doNotTrack! || navigator.globalPrivacyControl)) &&
  ((hostname && (options.local != null || !/^(127\.|\[::1])|\blocalhost$/.test(hostname))) ||
    console.info('analytics: localhost needs data-local'))
