import { currencyOptions } from '../sites/currencies.ts'
import { OptionList } from '../sites/schema.ts'
import { zoneOptions } from '../time/zones.ts'
import { authed, router } from './procedures.ts'

export const optionsRouter = router({
  timezones: authed
    .meta({
      path: '/api/timezones',
      summary: 'List time zones',
      description: 'Every name that a site can have as its time zone.',
      answer: 'A bare array.',
    })
    .output(OptionList)
    .query(() => zoneOptions()),
  currencies: authed
    .meta({
      path: '/api/currencies',
      summary: 'List currencies',
      description: 'Every reporting currency that a site can have.',
      answer: 'A bare array.',
    })
    .output(OptionList)
    .query(() => currencyOptions()),
})
