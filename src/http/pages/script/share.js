import { ApiError, call } from './api.js'
import { make, quiet, show, showFailure } from './dom.js'
import { field, form } from './form.js'
import { secretInAddress } from './link.js'

const RANGES = {
  today: 'Today',
  last_7_days: 'Last 7 days',
  last_30_days: 'Last 30 days',
  last_12_months: 'Last 12 months',
  all: 'All time',
}

/** Lists of the ten values with the most visitors, by the section that shows them. */
const LISTS = [
  ['sources', 'Sources', 'source'],
  ['sources', 'Channels', 'channel'],
  ['pages', 'Pages', 'path'],
  ['pages', 'Entry pages', 'entry_path'],
  ['locations', 'Countries', 'country'],
  ['devices', 'Browsers', 'browser'],
  ['devices', 'Systems', 'os'],
  ['devices', 'Devices', 'size'],
  ['events', 'Events', 'event_name'],
]

const count = new Intl.NumberFormat('en')

/** Site that the address names: its last part. */
const siteInAddress = () => location.pathname.split('/').at(-1)

/** Shows what a share link, or a public site, lets everybody see. */
export async function showShare() {
  const secret = secretInAddress()
  try {
    await open(secret)
  } catch (error) {
    if (error.code === 'password_required') return askForPassword(secret)
    showFailure('Shared site', ended(error), [])
  }
}

const ended = error =>
  error.status === 401
    ? new ApiError(401, { message: 'This link does not work any more, or the site is not public.' })
    : error

function askForPassword(secret) {
  const password = field('password', 'Password', { type: 'password', required: true, 'data-focus': true })
  show('Shared site', [
    quiet('The one who sent you the link knows its password.'),
    form([password], 'Open', values => open(secret, values.password)),
  ])
}

async function open(secret, password) {
  const bearer =
    secret === '' ? undefined : (await call('POST', 'shares/open', { body: { secret, password } })).access
  const read = path => call('GET', `sites/${siteInAddress()}/${path}`, { bearer })
  const shared = await read('shared')
  const place = make('div', { 'aria-live': 'polite' })
  const range = make(
    'select',
    { 'aria-label': 'Range', onchange: () => showNumbers(read, shared, place, range.value) },
    Object.entries(RANGES).map(([value, label]) =>
      make('option', { value, selected: value === 'last_30_days' }, label),
    ),
  )
  const top = make('div', { class: 'bar' }, quiet(shared.name ?? 'Public site'), range)
  show(shared.domain, [top, place], { isWide: true })
  await showNumbers(read, shared, place, range.value)
}

/** Reads everything that is shared in a range. A list that cannot be read says so, and the others are shown. */
async function showNumbers(read, shared, place, range) {
  place.setAttribute('aria-busy', 'true')
  const has = section => shared.sections.includes(section)
  const lists = LISTS.filter(([section]) => has(section)).map(async ([, title, dimension]) => {
    const query = `stats/breakdown?dimension=${dimension}&per_page=10&range=${range}`
    return part(title, 'Visitors', async () =>
      rows((await read(query)).data.map(({ value, visitors }) => [value, visitors])),
    )
  })
  const goals =
    has('goals') &&
    part('Goals', 'Conversions', async () => rows((await read(`stats/goals?range=${range}`)).map(goalRow)))
  const numbers =
    has('traffic') && part(undefined, undefined, async () => totals(await read(`overview?range=${range}`)))
  place.replaceChildren(...(await Promise.all([numbers, ...lists, goals].filter(Boolean))))
  place.removeAttribute('aria-busy')
}

const goalRow = ({ display_name, conversions }) => [display_name, conversions]

/** A list with its title, and what its numbers count. */
async function part(title, counted, read) {
  const content = await read().catch(error => make('p', { class: 'error', role: 'alert' }, error.message))
  const head = title && make('div', { class: 'bar head' }, make('h2', {}, title), quiet(counted))
  return make('section', {}, head, content)
}

const rows = entries =>
  entries.length === 0
    ? quiet('Nothing in this range.')
    : make(
        'ul',
        { class: 'list' },
        entries.map(([name, number]) =>
          make(
            'li',
            { class: 'bar' },
            make('span', { class: 'name' }, name),
            make('span', { class: 'number' }, count.format(number)),
          ),
        ),
      )

function totals(overview) {
  const { visitors, sessions, pageviews, bounce_rate, views_per_visit, avg_session_seconds } = overview
  const money =
    overview.revenue === undefined ? [] : [['Revenue', amount(overview.revenue, overview.kpi.currency)]]
  const entries = [
    ['Visitors', count.format(visitors)],
    ['Visits', count.format(sessions)],
    ['Pageviews', count.format(pageviews)],
    ['Views per visit', count.format(views_per_visit)],
    ['Bounce rate', `${count.format(bounce_rate)} %`],
    ['Average visit', `${count.format(avg_session_seconds)} s`],
    ...money,
  ]
  return make(
    'dl',
    { class: 'totals' },
    entries.map(([name, text]) =>
      make('div', {}, make('dt', {}, name), make('dd', { class: 'number' }, text)),
    ),
  )
}

/** An amount in minor units; how many a unit has depends on the currency. */
function amount(minor, currency) {
  const format = new Intl.NumberFormat('en', { style: 'currency', currency })
  return format.format(minor / 10 ** format.resolvedOptions().maximumFractionDigits)
}
