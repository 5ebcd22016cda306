import { Link } from 'wouter'
import { api, type Outputs } from '../../api/client.ts'
import { useChange } from '../../api/use-change.ts'
import { useRead } from '../../api/use-read.ts'
import { FilterSummary, filtersOf } from '../../filters/filter-summary.tsx'
import { Card } from '../../parts/card.tsx'
import { Editor } from '../../parts/editor.tsx'
import { SelectField, TextField } from '../../parts/form/field.tsx'
import { plainText } from '../../parts/hostile-text.tsx'
import { SettingList, SettingRow } from '../../parts/setting-row.tsx'
import { Empty } from '../../parts/states.tsx'
import { useSite } from '../../state/site.tsx'
import { useText } from '../../text/text.tsx'
import css from './settings.module.css'

type Segment = Outputs['segments']['list'][number]

const VISIBILITIES = ['site', 'personal'] as const satisfies readonly Segment['visibility'][]

/** Segments of the site and one's own. They are made from the filters of a page. */
export function SegmentSettings() {
  const { settings: text } = useText()
  const { id } = useSite()
  const segments = useRead(['segments', id], signal => api.segments.list.query({ siteKey: id }, { signal }))
  return (
    <Card title={text.parts.segments} note={text.segmentsHint}>
      <SettingList
        read={segments}
        empty={
          <Empty title={text.noSegments}>
            <Link href="/">{text.toOverview}</Link>
          </Empty>
        }
      >
        {segment => <SegmentRow key={segment.id} segment={segment} />}
      </SettingList>
    </Card>
  )
}

function SegmentRow({ segment }: { segment: Segment }) {
  const { filters, settings: text } = useText()
  const { id, mayChange } = useSite()
  return (
    <SettingRow
      mayChange={mayChange}
      edit={close => <SegmentDialog segment={segment} onClose={close} />}
      remove={{
        title: text.deleteSegment,
        question: text.deleteSegmentQuestion(plainText(segment.name)),
        run: () => api.segments.delete.mutate({ siteKey: id, segment: segment.id }),
        changes: [['segments', id]],
      }}
    >
      <p className={css.name}>
        <bdi>{segment.name}</bdi>
      </p>
      <FilterSummary filters={filtersOf(segment.filters)} />
      <p className={css.small}>
        {[filters.visibilities[segment.visibility], segment.created_by].filter(Boolean).join(' · ')}
      </p>
    </SettingRow>
  )
}

function SegmentDialog({ segment, onClose }: { segment: Segment; onClose(): void }) {
  const { filters, settings: text } = useText()
  const { id } = useSite()
  const change = useChange(
    (changes: { name: string; visibility: Segment['visibility'] }) =>
      api.segments.change.mutate({ siteKey: id, segment: segment.id, ...changes }),
    [['segments', id]],
  )
  return (
    <Editor
      title={text.editSegment}
      change={change}
      inputOf={({ name = '', visibility }) => ({ name, visibility: visibility as Segment['visibility'] })}
      onClose={onClose}
    >
      <TextField
        name="name"
        label={filters.segmentName}
        defaultValue={segment.name}
        maxLength={120}
        required
      />
      <SelectField
        name="visibility"
        label={filters.visibility}
        defaultValue={segment.visibility}
        options={VISIBILITIES.map(value => ({ value, label: filters.visibilities[value] }))}
      />
    </Editor>
  )
}
