import { Empty } from '../../parts/states.tsx'

export default function Customer() {
  return <Empty />
}
