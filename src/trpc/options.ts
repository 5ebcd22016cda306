import { currencyOptions } from '../sites/currencies.ts'
import { OptionList } from '../sites/schema.ts'
import { zoneOptions } from '../stats/time/zones.ts'
import { authed, router } from './procedures.ts'

/** Choices that forms offer for the settings of a site. */
export const optionsRouter = router({
  timezones: authed.output(OptionList).query(() => zoneOptions()),
  currencies: authed.output(OptionList).query(() => currencyOptions()),
})
