import { useState } from 'react'
import { api, type Outputs, TOGETHER } from '../../api/client.ts'
import { useChange } from '../../api/use-change.ts'
import { useRead } from '../../api/use-read.ts'
import { refreshSite, type SiteSettings, useSettings } from '../../app/site/site-frame.tsx'
import { Card } from '../../parts/card.tsx'
import { CodeBlock } from '../../parts/code-block.tsx'
import { Confirm } from '../../parts/confirm.tsx'
import { Button } from '../../parts/form/button.tsx'
import { CheckField, SelectField, TextArea, TextField } from '../../parts/form/field.tsx'
import { SettingForm } from '../../parts/setting-form.tsx'
import { Answer } from '../../parts/states.tsx'
import { useSite } from '../../state/site.tsx'
import { useText } from '../../text/text.tsx'
import css from './settings.module.css'

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
      {hasReplay && <ReplayFields site={site} />}
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

/** Options of session replays. */
function ReplayFields({ site }: { site: SiteSettings }) {
  const { settings: text } = useText()
  return (
    <div className={css.inner}>
      <TextField
        name="replay_sample_percent"
        type="number"
        min={1}
        max={100}
        label={text.replaySample}
        hint={text.replaySampleHint}
        defaultValue={site.replay_sample_percent}
        required
      />
      <TextField
        name="replay_days"
        type="number"
        min={1}
        max={90}
        label={text.replayDays}
        defaultValue={site.replay_days}
        required
      />
      <TextArea
        name="replay_excluded_paths"
        label={text.replayPaths}
        hint={text.replayPathsHint}
        defaultValue={site.replay_excluded_paths.join('\n')}
        placeholder="/account/**"
        spellCheck={false}
      />
    </div>
  )
}

/** The secret with which the site's server signs the ids of its users. A new one is shown once. */
function IdentifySecret() {
  const { settings: text } = useText()
  const { id } = useSite()
  const key = ['identify-secret', id]
  const status = useRead(key, signal =>
    api.sites.getIdentifySecret.query({ siteKey: id }, { signal, context: TOGETHER }),
  )
  const [asked, setAsked] = useState<'rotate' | 'remove'>()
  const [secret, setSecret] = useState<string>()
  const rotate = useChange(() => api.sites.rotateIdentifySecret.mutate({ siteKey: id }), [key])
  const remove = useChange(() => api.sites.removeIdentifySecret.mutate({ siteKey: id }), [key])
  const close = () => setAsked(undefined)
  const show = (made: Outputs['sites']['rotateIdentifySecret'] | undefined) => {
    setSecret(made?.identify_secret)
    close()
  }
  return (
    <Card title={text.identify} note={text.identifyHint}>
      <Answer read={status}>
        {({ identify_secret_set: isSet }) => (
          <div className={css.stack}>
            <p>{isSet ? text.identifySet : text.identifyUnset}</p>
            {secret && (
              <div role="status">
                <p className={css.quiet}>{text.onlyOnce}</p>
                <CodeBlock isWrapped code={secret} label={text.identify} />
              </div>
            )}
            <div className={css.buttons}>
              <Button
                isBusy={rotate.isSending}
                onClick={isSet ? () => setAsked('rotate') : async () => show(await rotate.send())}
              >
                {isSet ? text.identifyRotate : text.identifyMake}
              </Button>
              {isSet && (
                <Button kind="danger" onClick={() => setAsked('remove')}>
                  {text.identifyRemove}
                </Button>
              )}
            </div>
          </div>
        )}
      </Answer>
      {asked === 'rotate' && (
        <Confirm title={text.identifyRotate} change={rotate} onDone={show} onClose={close}>
          <p>{text.identifyRotateHint}</p>
        </Confirm>
      )}
      {asked === 'remove' && (
        <Confirm title={text.identifyRemove} change={remove} onDone={() => show(undefined)} onClose={close}>
          <p>{text.identifyRemoveHint}</p>
        </Confirm>
      )}
    </Card>
  )
}
