import { type ComponentType, lazy } from 'react'

const RELOADED = 'reloaded-for-new-build'

/**
 * A page whose code is loaded when it is opened. After an update of the service its old files are gone: the page is then loaded anew,
 * once.
 */
export function lazyPage(load: () => Promise<{ default: ComponentType }>) {
  return lazy(async () => {
    try {
      const page = await load()
      sessionStorage.removeItem(RELOADED)
      return page
    } catch (error) {
      if (sessionStorage.getItem(RELOADED)) throw error
      sessionStorage.setItem(RELOADED, '1')
      location.reload()
      return new Promise<never>(() => {})
    }
  })
}
