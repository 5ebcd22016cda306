import { useState } from 'react'
import { useLocation } from 'wouter'
import { api } from '../../api/client.ts'
import { useChange } from '../../api/use-change.ts'
import { queries } from '../../api/use-read.ts'
import { refreshSite, type SiteSettings, useSettings } from '../../app/site/site-frame.tsx'
import { Card } from '../../parts/card.tsx'
import { TextField } from '../../parts/form/field.tsx'
import { CurrencyField, ZoneField } from '../../parts/form/option-fields.tsx'
import { SettingForm } from '../../parts/setting-form.tsx'
import { Answer } from '../../parts/states.tsx'
import { useSite } from '../../state/site.tsx'
import { useText } from '../../text/text.tsx'

type General = Pick<SiteSettings, 'domain' | 'timezone' | 'currency'>

/** Domain, time zone and currency. */
export function GeneralSettings() {
  const { settings: text } = useText()
  const settings = useSettings()
  return (
    <Card title={text.parts.general}>
      <Answer read={settings}>{site => <GeneralForm site={site} key={site.id} />}</Answer>
    </Card>
  )
}

function GeneralForm({ site }: { site: SiteSettings }) {
  const { sites: words, settings: text } = useText()
  const { id, domain } = useSite()
  const [, navigate] = useLocation()
  const [timezone, setTimezone] = useState(site.timezone)
  const [currency, setCurrency] = useState(site.currency)
  const change = useChange((next: Partial<General>) => changeGeneral(id, next))
  const saved = (next: SiteSettings) => {
    queries.invalidateQueries({ queryKey: ['sites'] })
    // The domain is part of the address.
    if (next.domain !== domain)
      navigate(`~/sites/${encodeURIComponent(next.domain)}/settings`, { replace: true })
    else refreshSite()
  }
  return (
    <SettingForm
      label={text.parts.general}
      change={change}
      onSend={({ domain: given = '' }) => changedOf(site, { domain: given.trim(), timezone, currency })}
      onSaved={saved}
    >
      <TextField
        name="domain"
        label={words.domain}
        hint={text.domainHint}
        defaultValue={site.domain}
        spellCheck={false}
        required
      />
      <ZoneField value={timezone} onChange={setTimezone} />
      <CurrencyField value={currency} onChange={setCurrency} />
    </SettingForm>
  )
}

function changedOf(site: General, given: General): Partial<General> | undefined {
  const names = ['timezone', 'currency', 'domain'] as const
  const changed = names.filter(name => given[name] !== site[name])
  if (changed.length === 0) return undefined
  return Object.fromEntries(changed.map(name => [name, given[name]]))
}

/** Each setting has an endpoint of its own; the domain comes last, since it is part of the page's address. */
async function changeGeneral(
  siteKey: string,
  { timezone, currency, domain }: Partial<General>,
): Promise<SiteSettings> {
  let site: SiteSettings | undefined
  if (timezone !== undefined) site = await api.sites.updateTimezone.mutate({ siteKey, timezone })
  if (currency !== undefined) site = await api.sites.updateCurrency.mutate({ siteKey, currency })
  if (domain !== undefined) site = await api.sites.updateDomain.mutate({ siteKey, domain })
  return site!
}
