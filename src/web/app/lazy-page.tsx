import { type ComponentType, lazy } from 'react'
import { rememberedInTab, rememberInTab } from '../state/storage.ts'

const RELOADED = 'reloaded-for-new-build'

/**
 * A page whose code is loaded when it is opened. After an update of the service its old files are gone: the page is then loaded anew,
 * once.
 */
export function lazyPage(load: () => Promise<{ default: ComponentType }>) {
  return lazy(async () => {
    try {
      const page = await load()
      rememberInTab(RELOADED, undefined)
      return page
    } catch (error) {
      if (rememberedInTab(RELOADED) || !rememberInTab(RELOADED, '1')) throw error
      location.reload()
      return new Promise<never>(() => {})
    }
  })
}
