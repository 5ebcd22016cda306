import { call } from './api.js'
import { linkTo, make, notice, quiet, show, showFailure } from './dom.js'

const count = new Intl.NumberFormat('en')
const moment = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' })

export async function showHome() {
  let account
  let devices
  try {
    ;[account, devices] = await Promise.all([call('GET', 'account'), call('GET', 'account/sessions')])
  } catch (error) {
    if (error.status === 401) return location.replace('login')
    return showFailure('Analytics', error)
  }
  const teams = account.teams.map(team => ({
    team,
    place: make('div', { 'aria-busy': 'true' }, quiet('Counting …')),
  }))
  show(
    'Analytics',
    [
      make(
        'div',
        { class: 'bar' },
        make(
          'p',
          {},
          'Signed in as ',
          make('strong', {}, account.name ?? account.email),
          account.name ? ` (${account.email})` : '',
        ),
        make('button', { type: 'button', onclick: signOut }, 'Sign out'),
      ),
      teams.length === 0 && notice('You belong to no team. Ask for an invitation.'),
      teams.flatMap(({ team, place }) => [make('h2', {}, `${team.name} (${team.role})`), place]),
      make('h2', {}, 'Devices'),
      deviceList(devices),
      linkTo('docs', 'What programs can do: the API'),
    ],
    { isWide: true },
  )
  await Promise.all(teams.map(showSites))
}

/** The visitors of each site in the last 24 hours. */
async function showSites({ team, place }) {
  try {
    const sites = await call('GET', 'sites', { team: team.id })
    place.replaceChildren(
      sites.length === 0 ? quiet('No site yet. The API makes one: POST /api/sites.') : siteList(sites),
    )
  } catch (error) {
    place.replaceChildren(make('p', { class: 'error', role: 'alert' }, error.message))
  }
  place.removeAttribute('aria-busy')
}

const siteList = sites =>
  make(
    'ul',
    { class: 'list' },
    sites.map(site =>
      make(
        'li',
        { class: 'bar' },
        make('span', { class: 'name' }, site.domain),
        make(
          'span',
          { class: 'number' },
          `${count.format(site.visitors)} ${site.visitors === 1 ? 'visitor' : 'visitors'} in 24 hours`,
        ),
      ),
    ),
  )

function deviceList(devices) {
  return make(
    'ul',
    { class: 'list' },
    devices.map(device =>
      make(
        'li',
        { class: 'bar' },
        make(
          'span',
          { class: 'name' },
          make('strong', {}, nameOf(device)),
          device.is_current ? ' (this one)' : '',
          make('br'),
          make(
            'small',
            { class: 'quiet' },
            `${device.network} · used ${moment.format(new Date(device.last_used_at))}`,
          ),
        ),
        make(
          'button',
          {
            type: 'button',
            'aria-label': `Sign out ${nameOf(device)}`,
            onclick: end(`account/sessions/${device.id}`),
          },
          'Sign out',
        ),
      ),
    ),
    devices.length > 1 &&
      make(
        'li',
        {},
        make(
          'button',
          { type: 'button', class: 'danger', onclick: end('account/sessions') },
          'Sign out everywhere',
        ),
      ),
  )
}

const nameOf = ({ browser, system }) =>
  [browser || 'Unknown browser', system && `on ${system}`].filter(Boolean).join(' ')

/** Ends one or all sessions, and shows the page again: without a session it leads to the page for signing in. */
const end = path => async event => {
  event.target.disabled = true
  try {
    await call('DELETE', path)
  } catch (error) {
    if (error.status !== 404 && error.status !== 401) return showFailure('Analytics', error)
  }
  await showHome()
}

async function signOut(event) {
  event.target.disabled = true
  try {
    await call('POST', 'auth/logout', { body: {} })
    location.assign('login#ended')
  } catch (error) {
    showFailure('Analytics', error)
  }
}
