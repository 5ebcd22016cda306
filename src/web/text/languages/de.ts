import { account } from '../de/account.ts'
import { alerts } from '../de/alerts.ts'
import { auth } from '../de/auth.ts'
import { channels } from '../de/channels.ts'
import { common } from '../de/common.ts'
import { errors } from '../de/errors.ts'
import { events } from '../de/events.ts'
import { explain } from '../de/explain.ts'
import { explore } from '../de/explore.ts'
import { exports } from '../de/exports.ts'
import { filters } from '../de/filters.ts'
import { funnels } from '../de/funnels.ts'
import { goals } from '../de/goals.ts'
import { imports } from '../de/imports.ts'
import { install } from '../de/install.ts'
import { journeys } from '../de/journeys.ts'
import { keys } from '../de/keys.ts'
import { money } from '../de/money.ts'
import { overview } from '../de/overview.ts'
import { people } from '../de/people.ts'
import { period } from '../de/period.ts'
import { replay } from '../de/replay.ts'
import { reports } from '../de/reports.ts'
import { retention } from '../de/retention.ts'
import { settings } from '../de/settings.ts'
import { share } from '../de/share.ts'
import { sites } from '../de/sites.ts'
import { stripe } from '../de/stripe.ts'
import { team } from '../de/team.ts'
import { webhooks } from '../de/webhooks.ts'
import type { Dictionary } from './en.ts'

/** All texts in German. */
export const dictionary: Dictionary = {
  /** Name of the language in itself. */
  name: 'Deutsch',
  account,
  alerts,
  auth,
  channels,
  common,
  errors,
  events,
  explain,
  explore,
  exports,
  filters,
  funnels,
  goals,
  imports,
  install,
  journeys,
  keys,
  money,
  overview,
  people,
  period,
  replay,
  reports,
  retention,
  settings,
  share,
  sites,
  stripe,
  team,
  webhooks,
}
