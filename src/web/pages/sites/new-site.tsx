import { Empty } from '../../parts/states.tsx'

export default function NewSite() {
  return <Empty />
}
