/** Makes an element. Children are elements or texts, never markup, so that no answer of the service can bring markup in. */
export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value)
    else if (value === true) element.setAttribute(name, '')
    else if (value !== undefined && value !== null && value !== false) element.setAttribute(name, value)
  }
  element.append(...children.flat().filter(child => child !== null && child !== undefined && child !== false))
  return element
}

/** Shows a page: its title, its heading and what is below. */
export function show(title, children, { isWide = false } = {}) {
  document.title = `${title} – Analytics`
  const main = document.getElementById('page')
  main.className = isWide ? 'wide' : ''
  main.replaceChildren(make('h1', {}, title), ...children.flat().filter(Boolean))
  main.removeAttribute('aria-busy')
  main.querySelector('[data-focus]')?.focus()
}

/** Shows why a page cannot be shown, with a way on. */
export function showFailure(title, error, next = [retryButton()]) {
  show(title, [make('p', { class: 'error', role: 'alert' }, error.message), ...next])
}

export const retryButton = () =>
  make('button', { type: 'button', class: 'main', onclick: () => location.reload() }, 'Try again')

export const linkTo = (address, text) => make('p', {}, make('a', { href: address }, text))

export const notice = text => make('p', { class: 'notice', role: 'status' }, text)

export const quiet = text => make('p', { class: 'quiet' }, text)
