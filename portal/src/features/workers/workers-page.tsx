import { PageHeader } from "@/components/ui/page-header";

export default function WorkersPage() {
  return <PageHeader title="Workers" />;
}
