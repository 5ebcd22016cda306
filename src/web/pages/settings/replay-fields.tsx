import type { SiteSettings } from '../../app/use-settings.ts'
import { TextArea, TextField } from '../../parts/form/field.tsx'
import { useText } from '../../text/text.tsx'
import css from './settings.module.css'

interface Props {
  site: SiteSettings
  errors: Record<string, string[]>
}

/** Options of session replays. */
export function ReplayFields({ site, errors }: Props) {
  const { settings: text } = useText()
  const pathErrors = Object.entries(errors).flatMap(([field, messages]) =>
    field.startsWith('replay_excluded_paths') ? messages : [],
  )
  return (
    <div className={css.inner}>
      <TextField
        name="replay_sample_percent"
        type="number"
        min={1}
        max={100}
        label={text.replaySample}
        hint={text.replaySampleHint}
        errors={errors.replay_sample_percent}
        defaultValue={site.replay_sample_percent}
        required
      />
      <TextField
        name="replay_days"
        type="number"
        min={1}
        max={90}
        label={text.replayDays}
        errors={errors.replay_days}
        defaultValue={site.replay_days}
        required
      />
      <TextArea
        name="replay_excluded_paths"
        label={text.replayPaths}
        hint={text.replayPathsHint}
        errors={pathErrors}
        defaultValue={site.replay_excluded_paths.join('\n')}
        placeholder="/account/**"
        spellCheck={false}
      />
    </div>
  )
}
