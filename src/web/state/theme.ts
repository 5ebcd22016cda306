import { remember, remembered } from './storage.ts'

/** `system`: light or dark as the device is. */
export type Theme = 'light' | 'dark' | 'system'

/** Also read before the first paint, by `theme.ts`. */
const STORED = 'theme'

export function chosenTheme(): Theme {
  const theme = remembered(STORED)
  return theme === 'light' || theme === 'dark' ? theme : 'system'
}

/** Shows the interface in a theme from now on. */
export function chooseTheme(theme: Theme): void {
  remember(STORED, theme === 'system' ? null : theme)
  if (theme === 'system') delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = theme
}
