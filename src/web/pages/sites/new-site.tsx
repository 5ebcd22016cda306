import { useState } from 'react'
import { Link, useLocation } from 'wouter'
import { api } from '../../api/client.ts'
import { useChange } from '../../api/use-change.ts'
import { actIn, currentTeam, usePerson } from '../../app/person/person.tsx'
import { PlainLayout } from '../../app/plain-layout.tsx'
import { TextField } from '../../parts/form/field.tsx'
import { Form } from '../../parts/form/form.tsx'
import { CurrencyField, ZoneField } from '../../parts/form/option-fields.tsx'
import { useText } from '../../text/text.tsx'
import css from './sites.module.css'

/** Asks for what cannot be guessed, and leads to the script for the new site. */
export default function NewSite() {
  const { sites: text, common } = useText()
  const person = usePerson()
  const [, navigate] = useLocation()
  const [zone, setZone] = useState(() => Intl.DateTimeFormat().resolvedOptions().timeZone)
  const [currency, setCurrency] = useState('USD')
  const team = currentTeam(person)
  const create = useChange(createSite, [['sites']])
  const send = async ({ domain = '' }) => {
    if (team) actIn(team.id)
    const site = await create.send({ domain, timezone: zone, currency })
    if (site) navigate(`/sites/${encodeURIComponent(site.domain)}/install`)
  }
  return (
    <PlainLayout title={text.create}>
      <div className={css.narrow}>
        <h1>{text.create}</h1>
        <p className={css.lead}>{text.createHint}</p>
        <Form
          label={text.create}
          send={text.createAndGoOn}
          onSend={send}
          isSending={create.isSending}
          failure={create.failure}
          others={<Link href="/">{common.actions.cancel}</Link>}
        >
          <TextField
            name="domain"
            label={text.domain}
            hint={text.domainHint}
            placeholder="example.com"
            autoCapitalize="none"
            autoCorrect="off"
            spellCheck={false}
            inputMode="url"
            required
            autoFocus
          />
          <ZoneField value={zone} onChange={setZone} />
          <CurrencyField value={currency} onChange={setCurrency} />
        </Form>
      </div>
    </PlainLayout>
  )
}

/** The currency is a setting of its own, which a new site can still change. */
async function createSite({
  domain,
  timezone,
  currency,
}: Record<'domain' | 'timezone' | 'currency', string>) {
  const site = await api.sites.create.mutate({ domain, timezone })
  if (site.currency === currency) return site
  return api.sites.updateCurrency.mutate({ siteKey: site.id, currency })
}
