import { make } from './dom.js'

/** A field: label, input, hint and the message when it is wrong. `attributes` are those of the input. */
export function field(name, label, attributes, hint) {
  const id = `field-${name}`
  const wrong = make('small', { class: 'wrong', id: `${id}-wrong` })
  const described = [hint && `${id}-hint`, `${id}-wrong`].filter(Boolean).join(' ')
  const input = make('input', { id, name, 'aria-describedby': described, ...attributes })
  const element = make(
    'div',
    { class: 'field' },
    make('label', { for: id }, label),
    input,
    hint && make('small', { id: `${id}-hint` }, hint),
    wrong,
    attributes.autocomplete === 'new-password' && showPassword(input),
  )
  return { name, element, input, wrong }
}

function showPassword(input) {
  const toggle = event => {
    input.type = event.target.checked ? 'text' : 'password'
  }
  return make('label', { class: 'check' }, make('input', { type: 'checkbox', onchange: toggle }), 'Show it')
}

/**
 * A form that sends its fields once at a time, and shows what the service says about them.
 * @param send gets the values by name; what it throws is shown
 */
export function form(fields, label, send) {
  const problem = make('p', { class: 'error', role: 'alert', hidden: true })
  const button = make('button', { type: 'submit', class: 'main' }, label)

  function clear() {
    problem.hidden = true
    for (const { input, wrong } of fields) {
      input.removeAttribute('aria-invalid')
      wrong.textContent = ''
    }
  }

  function showProblem(error) {
    const named = fields.filter(({ name }) => error.fields?.[name])
    for (const { name, input, wrong } of named) {
      input.setAttribute('aria-invalid', 'true')
      wrong.textContent = sentence(name, error.fields[name].join('; '))
    }
    if (named.length === 0) {
      problem.textContent = error.message
      problem.hidden = false
    }
    named[0]?.input.focus()
  }

  async function submit(event) {
    event.preventDefault()
    if (button.disabled) return
    clear()
    button.disabled = true
    try {
      await send(Object.fromEntries(fields.map(({ name, input }) => [name, input.value])))
    } catch (error) {
      showProblem(error)
    }
    button.disabled = false
  }

  // Nothing is ever sent by the browser itself: a password must not become part of an address.
  return make(
    'form',
    { method: 'post', onsubmit: submit },
    problem,
    fields.map(({ element }) => element),
    button,
  )
}

/** The service says "must be at least 10 characters" or begins with the name of the field. */
const sentence = (name, text) => {
  const rest = text.startsWith(`${name} `) ? text.slice(name.length + 1) : text
  return `It ${rest}.`
}

export const emailField = (attributes = {}) =>
  field('email', 'E-mail address', {
    type: 'email',
    autocomplete: 'username',
    required: true,
    maxlength: 255,
    ...attributes,
  })

export const newPasswordField = (attributes = {}) =>
  field(
    'password',
    'Password',
    { type: 'password', autocomplete: 'new-password', required: true, minlength: 10, ...attributes },
    'At least 10 characters. A few words are easy to remember and hard to guess.',
  )
