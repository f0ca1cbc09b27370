import { PageHeader } from "@/components/ui/page-header";

export default function FunctionsPage() {
  return <PageHeader title="Functions" />;
}
