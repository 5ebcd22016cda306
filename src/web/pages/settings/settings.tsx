import type { ComponentType } from 'react'
import { useParams } from 'wouter'
import { NotFound } from '../../app/message-pages.tsx'
import { PartNav } from '../../parts/part-nav.tsx'
import { useSite } from '../../state/site.tsx'
import { useText } from '../../text/text.tsx'
import { AlertSettings } from './alerts/alerts.tsx'
import { DangerSettings } from './danger.tsx'
import { DataSettings } from './data.tsx'
import { ExportSettings } from './export.tsx'
import { GeneralSettings } from './general.tsx'
import { ImportSettings } from './import/import.tsx'
import { NoteSettings } from './notes.tsx'
import { PARTS, type PartName } from './parts-of-settings.ts'
import { ReportSettings } from './reports/reports.tsx'
import { SegmentSettings } from './segments.tsx'
import css from './settings.module.css'
import { SharingSettings } from './sharing/sharing.tsx'
import { TrackingSettings } from './tracking.tsx'
import { WebhookSettings } from './webhooks/webhooks.tsx'

const CONTENT: Record<PartName, ComponentType> = {
  general: GeneralSettings,
  tracking: TrackingSettings,
  sharing: SharingSettings,
  reports: ReportSettings,
  segments: SegmentSettings,
  notes: NoteSettings,
  alerts: AlertSettings,
  webhooks: WebhookSettings,
  import: ImportSettings,
  export: ExportSettings,
  data: DataSettings,
  danger: DangerSettings,
}

/** Settings of a site: a list of parts, and the part of the address. */
export default function Settings() {
  const { settings: text, common } = useText()
  const { part: given = 'general' } = useParams<{ part?: string }>()
  const { mayChange, mayManage } = useSite()
  const may = { member: true, change: mayChange, manage: mayManage }
  const parts = PARTS.filter(({ needs }) => may[needs])
  const part = parts.find(({ name }) => name === given)
  if (!part) return <NotFound />
  const Content = CONTENT[part.name]
  return (
    <>
      <h1 className={css.title}>{common.nav.settings}</h1>
      <PartNav
        base="/settings"
        label={common.nav.settings}
        current={part.name === 'general' ? '' : part.name}
        parts={parts.map(({ name }) => ({ path: name === 'general' ? '' : name, label: text.parts[name] }))}
        others={[{ href: '/install', label: text.snippet }]}
      >
        <div className={css.content} key={part.name}>
          {!mayChange && <p className={css.note}>{text.readOnly}</p>}
          <Content />
        </div>
      </PartNav>
    </>
  )
}
