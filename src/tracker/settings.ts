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
