import { useState } from 'react'
import { api } from '../../api/client.ts'
import { useChange } from '../../api/use-change.ts'
import { refreshSite, type SiteSettings, useSettings } from '../../app/site/site-frame.tsx'
import { useFormat } from '../../format/format.ts'
import { Card } from '../../parts/card.tsx'
import { Confirm } from '../../parts/confirm.tsx'
import { Button } from '../../parts/form/button.tsx'
import { TextField } from '../../parts/form/field.tsx'
import { SettingForm } from '../../parts/setting-form.tsx'
import { Answer } from '../../parts/states.tsx'
import { useSite } from '../../state/site.tsx'
import { useText } from '../../text/text.tsx'
import css from './settings.module.css'

/** How long details are kept, and the deletion of old numbers. */
export function DataSettings() {
  const { settings: text } = useText()
  const { mayManage } = useSite()
  const settings = useSettings()
  return (
    <Answer read={settings}>
      {site => (
        <div className={css.stack}>
          <Card title={text.retention} note={text.retentionHint}>
            <RetentionForm site={site} key={site.id} />
          </Card>
          {mayManage && site.details_from !== null && <History detailsFrom={site.details_from} />}
        </div>
      )}
    </Answer>
  )
}

function RetentionForm({ site }: { site: SiteSettings }) {
  const { settings: text } = useText()
  const { day } = useFormat()
  const { id, mayManage } = useSite()
  const change = useChange((months: number | null) =>
    api.sites.updateRetention.mutate({ siteKey: id, retention_months: months }),
  )
  return (
    <SettingForm
      label={text.retention}
      change={change}
      may={mayManage}
      onSend={({ months = '' }) => (months === '' ? null : Number(months))}
      onSaved={refreshSite}
    >
      <TextField
        name="months"
        type="number"
        min={1}
        max={120}
        label={text.retentionMonths}
        hint={text.retentionMonthsHint}
        field="retention_months"
        defaultValue={site.retention_months ?? ''}
      />
      {site.details_from && <p className={css.quiet}>{text.detailsFrom(day(site.details_from))}</p>}
    </SettingForm>
  )
}

function History({ detailsFrom }: { detailsFrom: string }) {
  const { settings: text } = useText()
  const { day } = useFormat()
  const { id, domain } = useSite()
  const latest = detailsFrom.slice(0, 10)
  const [before, setBefore] = useState(latest)
  const [isAsked, setAsked] = useState(false)
  const change = useChange(() => api.sites.deleteHistory.mutate({ siteKey: id, before }))
  const close = () => setAsked(false)
  const done = () => {
    close()
    refreshSite()
  }
  return (
    <Card title={text.history} note={text.historyHint}>
      <div className={css.stack}>
        <TextField
          type="date"
          label={text.historyBefore}
          max={latest}
          value={before}
          onChange={event => setBefore(event.target.value)}
          errors={change.failure?.fields.before}
        />
        <div>
          <Button kind="danger" disabled={before === ''} onClick={() => setAsked(true)}>
            {text.historyDelete}
          </Button>
        </div>
      </div>
      {isAsked && (
        <Confirm
          title={text.historyDelete}
          change={change}
          onDone={done}
          onClose={close}
          typed={{ label: text.typeDomain(domain), text: domain }}
        >
          <p>{text.historyQuestion(day(before))}</p>
        </Confirm>
      )}
    </Card>
  )
}
