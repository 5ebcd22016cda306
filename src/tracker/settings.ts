/** Tag that loads this script. In a module `currentScript` would be null. */
export const tag = document.currentScript as HTMLScriptElement

/** Of the page. */
export const { hostname } = location

/** `data-` attributes of the tag. A switch is on when its attribute is present, whatever the value. */
export const options = tag.dataset

/** `…/js/script.js` sends to `…/api`; under an alias the endpoints are in the same folder as the script. */
export const endpoints = options.api || tag.src.replace(/\/[^/]*$/, '').replace(/\/js$/, '/api')

declare global {
  interface Navigator {
    readonly globalPrivacyControl?: boolean
  }
}

/**
 * Whether to track this page: not when it is a file, local or in a frame, or when `data-dnt` applies. Developers try
 * the script on localhost first, where no hits would look like a fault: the console says what to do.
 */
export const isTracked: unknown =
  self === top &&
  (options.dnt == null || !(+navigator.doNotTrack! || navigator.globalPrivacyControl)) &&
  ((hostname && (options.local != null || !/^(127\.|\[::1])|\blocalhost$/.test(hostname))) ||
    console.info('localhost needs data-local'))
