"""The objects of the service, as clients that walk them see them."""

from client import COLLECTION, DEFAULT, ITEM, PROPERTIES, ROOT, SERVICE
from client_test_case import ClientTestCase, only_coffer


class Objects(ClientTestCase):
    def setUp(self):
        super().setUp()
        self.bus = self.client()
        self.session = self.bus.open_plain()

    def default(self) -> str:
        return self.bus.call(ROOT, SERVICE, "ReadAlias", "s", "default")

    def test_the_alias_default_leads_to_a_collection_that_the_service_lists(self):
        self.assertTrue(self.default().startswith(ROOT + "/collection/"))
        self.assertIn(self.default(), self.bus.property(ROOT, SERVICE, "Collections"))

    def test_the_path_of_the_alias_is_an_object_like_its_collection(self):
        item, _ = self.bus.create(self.session, "Evolution", self.attributes(), b"secret")
        for path in DEFAULT, self.default():
            self.assertEqual(self.bus.call(path, COLLECTION, "SearchItems", "a{ss}", self.attributes()), [item])
            self.assertIn(item, self.bus.property(path, COLLECTION, "Items"))
            self.assertFalse(self.bus.property(path, COLLECTION, "Locked"))
        for name in "Label", "Created", "Modified":
            self.assertEqual(
                self.bus.property(DEFAULT, COLLECTION, name), self.bus.property(self.default(), COLLECTION, name))

    @only_coffer
    def test_an_item_is_found_below_the_path_of_the_alias_too(self):
        item, _ = self.bus.create(self.session, "Evolution", self.attributes(), b"secret")
        aliased = f"{DEFAULT}/{item.rsplit('/', 1)[-1]}"
        self.assertEqual(self.bus.secret(aliased, self.session), b"secret")
        self.assertEqual(self.bus.property(aliased, ITEM, "Label"), "Evolution")

    def test_the_alias_session_leads_to_a_collection_that_stores(self):
        path = self.bus.call(ROOT, SERVICE, "ReadAlias", "s", "session")
        self.assertNotEqual(path, "/")
        item, _ = self.bus.create(self.session, "short", self.attributes(), b"secret", collection=path)
        self.assertEqual(self.bus.search(self.attributes()), ([item], []))
        self.assertEqual(self.bus.secret(item, self.session), b"secret")

    def test_all_properties_come_at_once_with_their_types(self):
        item, _ = self.bus.create(self.session, "typed", self.attributes(), b"secret")
        for path, interface, expected in [
            (ROOT, SERVICE, {"Collections": "ao"}),
            (DEFAULT, COLLECTION, {"Items": "ao", "Label": "s", "Locked": "b", "Created": "t", "Modified": "t"}),
            (item, ITEM, {"Locked": "b", "Attributes": "a{ss}", "Label": "s", "Created": "t", "Modified": "t"}),
        ]:
            found = self.bus.call(path, PROPERTIES, "GetAll", "s", interface)
            self.assertEqual({name: found[name][0] for name in expected if name in found}, expected)
            for name in expected:
                self.assertEqual(self.bus.property(path, interface, name), found[name][1])

    def test_secrets_of_several_items_come_in_one_call_without_those_that_do_not_exist(self):
        items = [self.bus.create(self.session, str(number), self.attributes(number=str(number)), str(number).encode())[0]
                 for number in range(3)]
        found = self.bus.call(ROOT, SERVICE, "GetSecrets", "aoo", items + [items[0] + "0000"], self.session)
        self.assertEqual({path: secret[2] for path, secret in dict(found).items()},
                         {items[number]: str(number).encode() for number in range(3)})

    def test_unlock_of_what_is_unlocked_needs_no_prompt(self):
        item, _ = self.bus.create(self.session, "open", self.attributes(), b"secret")
        unlocked, prompt = self.bus.unlock(self.default(), item)
        self.assertEqual((sorted(unlocked), prompt), (sorted([self.default(), item]), "/"))

    def test_signals_tell_of_each_change_of_an_item_and_of_the_list(self):
        watcher = self.client()
        watcher.watch()
        item, _ = self.bus.create(self.session, "seen", self.attributes(), b"secret")
        self.assertEqual(watcher.signal("ItemCreated"), (item,))
        self.bus.set_property(item, ITEM, "Label", "s", "renamed")
        self.assertEqual(watcher.signal("ItemChanged"), (item,))
        self.bus.delete(item)
        self.assertEqual(watcher.signal("ItemDeleted"), (item,))

    def test_a_client_that_has_read_a_collection_is_told_its_list_of_items(self):
        watcher = self.client()
        watcher.watch()
        watcher.call(self.default(), PROPERTIES, "GetAll", "s", COLLECTION)

        def told():
            while True:
                interface, changed, _ = watcher.signal("PropertiesChanged", self.default())
                if "Items" in changed:
                    return dict(changed)["Items"][1]

        item, _ = self.bus.create(self.session, "listed", self.attributes(), b"secret")
        self.assertIn(item, told())
        self.bus.delete(item)
        self.assertNotIn(item, told())

    def test_a_change_of_a_label_or_of_attributes_changes_nothing_else(self):
        item, _ = self.bus.create(self.session, "before", self.attributes(user="jane"), b"a\0b")
        created = self.bus.property(item, ITEM, "Created")
        self.bus.set_property(item, ITEM, "Label", "s", "after")
        self.bus.set_property(item, ITEM, "Attributes", "a{ss}", self.attributes(user="joe"))
        self.assertEqual(self.bus.property(item, ITEM, "Label"), "after")
        self.assertEqual(self.bus.property(item, ITEM, "Created"), created)
        self.assertEqual(self.bus.secret(item, self.session), b"a\0b")
        self.assertEqual(self.bus.search(self.attributes(user="joe")), ([item], []))
        self.assertEqual(self.bus.search(self.attributes(user="jane")), ([], []))

    def test_each_object_describes_its_interfaces(self):
        item, _ = self.bus.create(self.session, "described", self.attributes(), b"secret")
        for path, interface in (ROOT, SERVICE), (DEFAULT, COLLECTION), (item, ITEM):
            text = self.bus.call(path, "org.freedesktop.DBus.Introspectable", "Introspect")
            self.assertIn(f'name="{interface}"', text)

    def create_collection(self, label: str, service=None, bus=None) -> tuple[str, str]:
        properties = {"org.freedesktop.Secret.Collection.Label": ("s", label)}
        return (bus or self.bus).call(ROOT, SERVICE, "CreateCollection", "a{sv}s", properties, "")

    @only_coffer
    def test_a_collection_is_found_by_the_path_that_its_label_makes(self):
        # As the library of aws-vault looks for its collection: by the path alone, also after the service was started again.
        service = self.new_service().start()
        bus = self.client(service)
        self.assertEqual(self.create_collection("awsvault", bus=bus), (ROOT + "/collection/awsvault", "/"))
        item, _ = bus.create(bus.open_plain(), "key", self.attributes(), b"secret", collection=ROOT + "/collection/awsvault")
        service.kill()
        service.start()
        bus = self.client(service)
        self.assertIn(ROOT + "/collection/awsvault", bus.property(ROOT, SERVICE, "Collections"))
        self.assertEqual(bus.property(ROOT + "/collection/awsvault", COLLECTION, "Items"), [item])
        self.assertEqual(bus.property(ROOT + "/collection/awsvault", COLLECTION, "Label"), "awsvault")
        # Another one of the same label gets a path of its own, as with gnome-keyring.
        self.assertEqual(self.create_collection("awsvault", bus=bus), (ROOT + "/collection/awsvault_5f1", "/"))
        self.assertEqual(self.create_collection("login", bus=bus), (ROOT + "/collection/login_5f1", "/"))
