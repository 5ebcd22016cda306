// Runs before the first paint, so that the page never flashes in the other theme. A script of its own: it must not wait for main.
let theme: string | null = null
try {
  theme = localStorage.getItem('theme')
} catch {
  // Without storage the theme is that of the system.
}
if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme
