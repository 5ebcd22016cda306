import { account } from '../en/account.ts'
import { alerts } from '../en/alerts.ts'
import { auth } from '../en/auth.ts'
import { channels } from '../en/channels.ts'
import { common } from '../en/common.ts'
import { errors } from '../en/errors.ts'
import { events } from '../en/events.ts'
import { explain } from '../en/explain.ts'
import { explore } from '../en/explore.ts'
import { exports } from '../en/exports.ts'
import { filters } from '../en/filters.ts'
import { funnels } from '../en/funnels.ts'
import { goals } from '../en/goals.ts'
import { imports } from '../en/imports.ts'
import { install } from '../en/install.ts'
import { journeys } from '../en/journeys.ts'
import { keys } from '../en/keys.ts'
import { money } from '../en/money.ts'
import { overview } from '../en/overview.ts'
import { people } from '../en/people.ts'
import { period } from '../en/period.ts'
import { replay } from '../en/replay.ts'
import { reports } from '../en/reports.ts'
import { retention } from '../en/retention.ts'
import { settings } from '../en/settings.ts'
import { share } from '../en/share.ts'
import { sites } from '../en/sites.ts'
import { stripe } from '../en/stripe.ts'
import { team } from '../en/team.ts'
import { webhooks } from '../en/webhooks.ts'

/** All texts of the interface. Every other language has the same shape: TypeScript names what is missing. */
export const dictionary = {
  /** Name of the language in itself. */
  name: 'English',
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

export type Dictionary = typeof dictionary
