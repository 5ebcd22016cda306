import { type ComponentType, lazy } from 'react'
import { isReachable } from '../api/connection.ts'
import { rememberedInTab, rememberInTab } from '../state/storage.ts'
import { NotLoaded } from './message-pages.tsx'

const RELOADED = 'reloaded-for-new-build'

/**
 * A page whose code is loaded when it is opened. After an update of the service its old files are gone: the page is then loaded anew,
 * once, and only if the service answers.
 */
export function lazyPage(load: () => Promise<{ default: ComponentType }>) {
  return lazy(async () => {
    try {
      const page = await load()
      rememberInTab(RELOADED, undefined)
      return page
    } catch {
      const isThere = await isReachable()
      if (!isThere || rememberedInTab(RELOADED) || !rememberInTab(RELOADED, '1'))
        return { default: NotLoaded }
      location.reload()
      return new Promise<never>(() => {})
    }
  })
}
