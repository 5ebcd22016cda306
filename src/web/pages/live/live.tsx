import { Empty } from '../../parts/states.tsx'

export default function Live() {
  return <Empty />
}
