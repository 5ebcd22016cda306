/** Reads what this browser remembers; null without storage. */
export function remembered(key: string): string | null {
  try {
    return localStorage.getItem(key)
  } catch {
    return null
  }
}

/** Remembers something in this browser, as far as it may. */
export function remember(key: string, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(key)
    else localStorage.setItem(key, value)
  } catch {
    // Without storage the setting holds until the page is closed.
  }
}

/** What this tab remembers. In a frame of another site a browser may refuse storage: then it holds until the page is loaded anew. */
const memory = new Map<string, string>()

/** Reads what this tab remembers. */
export function rememberedInTab(key: string): string | undefined {
  try {
    return sessionStorage.getItem(key) ?? undefined
  } catch {
    return memory.get(key)
  }
}

/**
 * Remembers something in this tab.
 * @returns whether it also holds when the page is loaded anew
 */
export function rememberInTab(key: string, value: string | undefined): boolean {
  try {
    if (value === undefined) sessionStorage.removeItem(key)
    else sessionStorage.setItem(key, value)
    return true
  } catch {
    if (value === undefined) memory.delete(key)
    else memory.set(key, value)
    return false
  }
}
