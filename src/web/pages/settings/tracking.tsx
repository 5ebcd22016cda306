import { useState } from 'react'
import { api } from '../../api/client.ts'
import { useChange } from '../../api/use-change.ts'
import { refreshSite } from '../../app/site/site-frame.tsx'
import { type SiteSettings, useSettings } from '../../app/use-settings.ts'
import { Answer } from '../../parts/answer.tsx'
import { Card } from '../../parts/card.tsx'
import { CheckField, SelectField } from '../../parts/form/field.tsx'
import { useSite } from '../../state/site.tsx'
import { useText } from '../../text/text.tsx'
import { IdentifySecret } from './identify-secret.tsx'
import { ReplayFields } from './replay-fields.tsx'
import { SettingForm } from './setting-form.tsx'

const MODES = ['cookieless', 'cookie'] as const satisfies readonly SiteSettings['tracking_mode'][]

/** How visitors are recognized, and what trackers record beside pages. */
export function TrackingSettings() {
  const { settings: text } = useText()
  const { mayManage } = useSite()
  const settings = useSettings()
  return (
    <>
      <Card title={text.parts.tracking}>
        <Answer read={settings}>{site => <TrackingForm site={site} key={site.id} />}</Answer>
      </Card>
      {mayManage && <IdentifySecret />}
    </>
  )
}

function TrackingForm({ site }: { site: SiteSettings }) {
  const { settings: text } = useText()
  const { id } = useSite()
  const [hasReplay, setReplay] = useState(site.track_session_replay)
  const change = useChange((values: Record<string, string>) => changeTracking(id, site, values))
  const errors = change.failure?.fields ?? {}
  return (
    <SettingForm label={text.parts.tracking} change={change} onSend={values => values} onSaved={refreshSite}>
      <SelectField
        name="tracking_mode"
        label={text.mode}
        hint={text.modeHint}
        defaultValue={site.tracking_mode}
        options={MODES.map(value => ({ value, label: text.modes[value] }))}
      />
      <CheckField
        name="track_errors"
        label={text.errors}
        hint={text.errorsHint}
        defaultChecked={site.track_errors}
      />
      <CheckField
        name="track_web_vitals"
        label={text.webVitals}
        hint={text.webVitalsHint}
        defaultChecked={site.track_web_vitals}
      />
      <CheckField
        name="track_session_replay"
        label={text.replay}
        hint={text.replayHint}
        checked={hasReplay}
        onChange={event => setReplay(event.target.checked)}
      />
      {hasReplay && <ReplayFields site={site} errors={errors} />}
    </SettingForm>
  )
}

async function changeTracking(siteKey: string, site: SiteSettings, values: Record<string, string>) {
  const mode = values.tracking_mode as SiteSettings['tracking_mode']
  const hasReplay = values.track_session_replay !== undefined
  const changed = await api.sites.updateFeatures.mutate({
    siteKey,
    track_errors: values.track_errors !== undefined,
    track_web_vitals: values.track_web_vitals !== undefined,
    track_session_replay: hasReplay,
    ...(hasReplay && {
      replay_sample_percent: Number(values.replay_sample_percent),
      replay_days: Number(values.replay_days),
      replay_excluded_paths: linesOf(values.replay_excluded_paths ?? ''),
    }),
  })
  if (mode === site.tracking_mode) return changed
  return api.sites.updateTrackingMode.mutate({ siteKey, tracking_mode: mode })
}

const linesOf = (text: string) =>
  text
    .split('\n')
    .map(line => line.trim())
    .filter(line => line !== '')
