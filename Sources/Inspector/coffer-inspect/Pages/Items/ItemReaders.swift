internal import CofferInspection
internal import CofferSystem

/// Who can read an item, as a plain list: the owner and the apps, each with its machines.
struct ItemReaders {
  let row: ItemRow
  let readers: [AccessGraph.Reader]

  var html: HTML {
    ul(.class("readers")) {
      for reader in readers { html(of: reader) }
    }
  }

  private func html(of reader: AccessGraph.Reader) -> HTML {
    li {
      div {
        strong {
          reader.app.map { app in a(.href(PageAddress("apps", app.id))) { dotted(app.name) } } ?? "The owner"
        }
        p(.class("quiet")) {
          for (index, place) in reader.places.enumerated() {
            index > 0 ? "; " : ""
            "\(place.isWritable ? "reads and writes" : "reads") on "
            a(.href(PageAddress("machines", place.machine.id))) { given(place.machine.name) }
          }
        }
      }
      // What holds on another machine is not known here.
      if let app = reader.app, reader.places.contains(where: \.machine.isThisMachine) {
        linkButton(
          "Why", to: ExplanationPage.address(of: app.id, group: row.group, item: row.reference), style: "small",
          .label("Why \(DisplayText(app.name, limit: 60).text) can read it"))
      }
    }
  }
}
