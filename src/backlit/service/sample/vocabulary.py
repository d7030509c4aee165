"""Vocabulary of the sample workspace: a web shop in the words of its developers."""

from collections.abc import Mapping

PEOPLE = (
    ("maya", "Maya", "Kent"),
    ("jon", "Jon", "Bellamy"),
    ("ada", "Ada", "Okafor"),
    ("rex", "Rex", "Lindqvist"),
    ("uma", "Uma", "Castellanos"),
    ("priya", "Priya", "Raman"),
    ("tomas", "Tomás", "Herrera"),
    ("lena", "Lena", "Brandt"),
    ("kofi", "Kofi", "Mensah"),
    ("sofia", "Sofia", "Marchetti"),
)

AREAS: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "Aurora": {
        "Checkout": ("Basket", "Address", "Delivery"),
        "Payments": ("Cards", "Wallets", "Refunds"),
        "Search": ("Ranking", "Suggestions"),
        "Catalogue": ("Product page", "Images", "Stock"),
        "Accounts": ("Sign-in", "Order history", "Privacy"),
        "Marketing": ("Vouchers", "Newsletter"),
        "Platform": ("Monitoring", "Release pipeline"),
    },
    "Beacon": {"Receiving": (), "Picking": ("Scanner",), "Packing": (), "Returns": (), "Reports": ()},
    "Harbour": {"Pipelines": (), "Warehouse tables": (), "Dashboards": (), "Access": ()},
}

PROJECT_TEXTS: Mapping[str, str] = {
    "Aurora": "The web shop: everything a customer sees between the front page and the receipt.",
    "Beacon": "The application on the warehouse floor, from the truck at the gate to the parcel on its way.",
    "Harbour": "Where the numbers of shop and warehouse come together.",
}

TEAMS: Mapping[str, tuple[str, ...]] = {
    "Aurora": ("Storefront", "Money", "Foundations"),
    "Beacon": ("Floor", "Dock"),
    "Harbour": ("Data",),
}

STORIES: Mapping[str, tuple[str, ...]] = {
    "Checkout": (
        "Guest checkout keeps the basket {client}",
        "Save the delivery address from the wallet {market}",
        "Show the delivery date before the address is known",
        "Choose a pick-up point on a map {client}",
        "Split an order into two deliveries",
        "Warn before a basket expires",
        "Let customers change the delivery slot after ordering {market}",
        "Show taxes and duties line by line {market}",
        "Remember the last used delivery option",
        "Gift wrapping as an option for each article",
        "Merge the guest basket into the account's basket at sign-in",
    ),
    "Payments": (
        "Pay by invoice {market}",
        "Store a card without storing the card number",
        "Retry a declined card with another one in place {client}",
        "Refund a part of an order",
        "Show a pending bank transfer as pending, not as failed",
        "Offer instalments above 200 {market}",
        "Pay with a wallet from the product page {client}",
        "Reconcile payouts with orders every night",
        "Send a receipt that satisfies the tax office {market}",
    ),
    "Search": (
        "Suggest categories beside articles while typing",
        "Find articles by their old number",
        "Forgive one typing error in every word {market}",
        "Sort results by delivery date {client}",
        "Keep the filters when going back from an article {client}",
        "Explain an empty result and offer a way on",
        "Learn synonyms from searches without a click {market}",
        "Promote articles in stock over those that are not",
    ),
    "Catalogue": (
        "Compare up to four articles side by side {client}",
        "Show which sizes run small, from returns",
        "Zoom into product images {client}",
        "Tell customers when an article is back in stock",
        "Show the stock of the nearest shop {market}",
        "Bundle articles that are bought together",
        "Import supplier data without stopping the shop",
        "Translate size charts {market}",
    ),
    "Accounts": (
        "Sign in with a passkey {client}",
        "Download all my data",
        "Close an account without writing to support {market}",
        "Show the whole order history, not the last year's",
        "Reorder everything from an earlier order",
        "Ask for a second factor on a new device {client}",
        "Share a wish list without signing in",
    ),
    "Marketing": (
        "Vouchers that work once per household {market}",
        "Stop the newsletter with one click {client}",
        "Plan a sale in advance and start it at midnight {market}",
        "Show the price before the sale as the law asks {market}",
        "Recommend articles without tracking people",
    ),
    "Platform": (
        "Deploy during the day without dropping a basket",
        "Trace one order through all services",
        "Page somebody when orders per minute fall by half",
        "Keep the shop readable when the payment provider is down",
        "Delete personal data from logs after 30 days",
        "Cut the first paint of the front page to one second {client}",
    ),
}

OTHER_STORIES = (
    "Scan the next parcel without touching the screen",
    "Show the shortest way through the hall",
    "Weigh a parcel and print its label in one step",
    "Take a picture of a damaged return",
    "Plan the dock for tomorrow's trucks {market}",
    "Count a shelf while picking goes on",
    "Load yesterday's orders before seven in the morning",
    "Let people ask for access where they miss it",
    "Show how old a number is beside the number",
    "Roll a broken load back to the day before",
)

BUGS = (
    "Card retry fails after the session has expired {client}",
    "Basket is empty after signing in {client}",
    "Voucher is taken off twice when an article is removed",
    "Postcode with a blank is refused {market}",
    "Search returns nothing for words with an apostrophe",
    "Product image flickers while the next one loads {client}",
    "Order confirmation arrives twice {market}",
    "Back button leaves an invisible dialog over the page {client}",
    "Refund shows yesterday's exchange rate {market}",
    "Stock goes below zero when two people buy the last one",
    "Screen reader reads the price as a date {client}",
    "Delivery slot of the past can be chosen around midnight {market}",
    "Password reset mail is in the wrong language {market}",
    "Filter by colour forgets the size",
    "Export stops at 65,536 lines",
    "Newsletter stays ticked after it was cancelled {client}",
    "Totals differ by a cent between basket and receipt {market}",
    "Session is lost when the network changes {client}",
)

FEATURES = (
    "One-page checkout",
    "Accounts without passwords",
    "Search that understands people",
    "Selling {market}",
    "Returns in three taps",
    "A front page for everybody",
    "Gift cards",
    "The shop on every device",
    "Click and collect",
    "Loyalty without a card",
)

SUBJECTS: Mapping[str, str] = {
    "One-page checkout": "Checkout",
    "Accounts without passwords": "Accounts",
    "Search that understands people": "Search",
    "Returns in three taps": "Checkout",
    "A front page for everybody": "Platform",
    "Gift cards": "Payments",
    "The shop on every device": "Catalogue",
    "Click and collect": "Checkout",
    "Loyalty without a card": "Marketing",
    "Deliveries on the chosen day": "Checkout",
    "One account for shop and web": "Accounts",
    "A catalogue that suppliers look after": "Catalogue",
    "Payment without a form": "Payments",
    "Recommendations that can be explained": "Marketing",
    "The shop for people who cannot see it": "Platform",
    "Orders that can be changed until packed": "Checkout",
    "Repairs instead of returns": "Catalogue",
}
"""The area of what belongs to a feature, where the project has it."""

PARTS: Mapping[str, str] = {
    "Accounts without passwords": "One account for shop and web",
    "Click and collect": "The shop on every device",
}
"""Features that are parts of others."""

ISSUES = (
    "Test environment has no data from after the summer",
    "Payment provider ends its old interface in spring",
    "Nobody in the team can release on Fridays",
    "Licence for the map service runs out",
    "Design for small screens is missing {market}",
    "Translation agency answers after five days",
)

RISKS = (
    "Card scheme may ask for an audit before the release",
    "Peak of the winter sale may exceed what the search cluster can take",
    "The only person who knows the tax rules leaves in the middle of the project",
    "Wallet provider may refuse the integration {market}",
    "New address data may be worse than the old {market}",
)

FEEDBACK = (
    "Please let me change my address after ordering",
    "The new search finds nothing I look for",
    "I love the delivery date on the product page",
    "Could you remember my size?",
    "Checkout is too small to read {client}",
    "I would like to pay by invoice {market}",
    "The newsletter keeps coming although I cancelled it",
)

MORE_TEXTS: Mapping[str, tuple[str, ...]] = {
    "Checkout": (
        "Show how much is missing for free delivery",
        "Keep two baskets apart on a shared device",
        "Deliver to a neighbour if nobody answers",
        "Add a note for the courier",
        "Check the address while it is typed",
        "Order again with one tap from the receipt",
        "Choose the day for bulky articles",
        "Collect an order at the shop's back door after hours",
        "Explain why an article cannot be delivered",
        "Fill in the town from the postcode",
        "Show the basket's weight for the lift",
        "Save a basket for later and share it",
    ),
    "Payments": (
        "Let customers change the card of a running order",
        "Show the refund's way to the bank",
        "Pay the rest of a gift card with another means",
        "Ask the bank again after a time-out, once",
        "Warn support of refunds above 500",
        "Split a payment between two cards",
        "Keep the invoice's number after a correction",
        "Cancel a pre-authorisation when an order is cancelled",
        "Round cash amounts in the shop as the law asks",
        "Show fees of a payment before it is chosen",
        "Close the books of a day at midnight local time",
    ),
    "Search": (
        "Find sizes by the words that people use",
        "Show what others looked for in the same week",
        "Search inside of manuals",
        "Take a photo and find the article",
        "Rank by rating only from ten ratings on",
        "Remember the last five searches on the device",
        "Find spare parts from the article they fit",
        "Show the number of results before a filter is applied",
        "Hide articles that cannot be delivered to the address",
        "Understand prices in the search field",
    ),
    "Catalogue": (
        "Say where an article is made",
        "Show an article in the room through the camera",
        "Warn when a price is older than a day",
        "List the parts that wear out first",
        "Offer the next model when one is discontinued",
        "Check images for text in the wrong language",
        "Show care instructions as signs and words",
        "Mark articles that arrive before the weekend",
        "Let suppliers correct their own data",
        "Reserve the last article while it is in a basket",
    ),
    "Accounts": (
        "Change the e-mail address without losing orders",
        "Show all devices that are signed in",
        "Let a household share one account",
        "Sign out everywhere at once",
        "Keep reading preferences between devices",
        "Delete a single order from the history",
        "Show receipts for the guarantee in one place",
        "Move an account to another country",
        "Ask for the birthday only where it is needed",
        "Recover an account without the old phone",
    ),
    "Marketing": (
        "Let customers choose how often we write",
        "Show a voucher's end before it is used",
        "Test two subject lines on a tenth of the readers",
        "Stop a campaign when stock runs out",
        "Thank people who bring an article back for repair",
        "Count a recommendation only after delivery",
        "Print vouchers for the shop's counter",
        "Greet returning customers by what they watch",
    ),
    "Platform": (
        "Switch a feature off without a release",
        "Restore the database of yesterday in an hour",
        "Show the state of all services on one page",
        "Warn before a certificate runs out",
        "Run the tests of a change in ten minutes",
        "Keep the old address of every page working",
        "Send slow requests to a queue at the peak",
        "Count errors by release",
        "Rotate all passwords without a pause",
        "Measure what a page costs on a slow phone",
    ),
    "Bug": (
        "Sum in the basket ignores the second voucher",
        "Size chart opens behind the menu",
        "Wish list loses its order after a reload",
        "Sale price ends an hour early in summer",
        "Address with two lines prints on one",
        "Sign-in mail arrives after its code is over",
        "Picture of the wrong colour is sent with the order",
        "Slider cannot be moved with the keyboard",
        "Gift card of 100 is shown as 1.00",
        "Stock of the nearest shop is from yesterday",
        "Invoice has no number when two are printed at once",
        "Search field eats the first letter after a reload",
        "Menu closes when the phone is turned",
        "Refund mail names the wrong article",
        "Filter shows sizes that are sold out",
        "Courier's map is empty without a flat number",
        "Points of a cancelled order are kept",
        "Reviews of two articles are mixed up",
        "Language changes back after signing in",
        "Basket counts a bundle as three articles",
        "Payment page scrolls to the end by itself",
        "Comparison forgets the fourth article",
        "Delivery fee is charged twice on split orders",
        "Suggestions overlap the keyboard",
        "Old receipts cannot be opened",
        "Price with a comma is read as thousands",
        "Confirmation page can be shared with the address in it",
        "Video starts with sound",
        "Order of an account that was closed cannot be returned",
        "Time of collection is shown in the server's zone",
        "Stars are announced as five images",
        "Coupon field accepts its own description",
        "Second delivery has no tracking number",
        "Back in stock mail is sent for the old size",
        "Export leaves out orders of the last minute",
        "Import stops at the first empty line",
        "Phone number with a plus is refused",
        "Privacy banner covers the pay button",
        "Cancelled slot stays taken",
        "Bundle price is wrong after one part is returned",
    ),
    "Feature": (
        "Deliveries on the chosen day",
        "One account for shop and web",
        "A catalogue that suppliers look after",
        "Payment without a form",
        "Recommendations that can be explained",
        "The shop for people who cannot see it",
        "Orders that can be changed until packed",
        "Repairs instead of returns",
    ),
    "Issue": (
        "Staging is down every Monday morning",
        "Contract with the courier ends in June",
        "Two teams change the same price table",
        "Nobody answers for the old search index",
        "Test phones are shared between two floors",
        "Support has no access to the new tool",
        "Data protection officer is away until April",
        "Order numbers run out in two years",
        "Monitoring mails nobody reads",
        "Keys of the payment sandbox are in one person's drawer",
    ),
    "Risk": (
        "Second data centre may not be ready for the sale",
        "Courier may not manage the volume of December",
        "New tax rule may come before the release",
        "Search supplier may raise its price",
        "Old phones may not show the new checkout",
        "Warehouse may not know the new article numbers",
    ),
    "Feedback": (
        "I want to see the delivery on a map",
        "Why do I have to give my birthday?",
        "The wish list is the best part of the shop",
        "I ordered twice because nothing happened",
        "Let me pay the way I did last time",
        "The pictures are too dark on my phone",
        "Please tell me before the price changes",
        "I could not find how to return a part",
        "Great service in the shop in the station",
        "The text is too small in the basket",
        "Collecting the order was quick and friendly",
        "My voucher was gone after I went back",
    ),
}
"""Texts by area, or by type, for items whose drawn text was taken by another item."""

TASKS = (
    "Write the acceptance test",
    "Reproduce on staging",
    "Change the data model and migrate",
    "Build the form",
    "Review the texts with the editors",
    "Measure before and after",
    "Handle the error of the provider",
    "Add the event to the tracking plan",
    "Update the runbook",
    "Translate the new texts",
    "Check keyboard and screen reader",
    "Roll out to five per cent",
    "Remove the old switch",
)

CLIENTS = ("on iPhone", "on Android", "in Safari", "in Firefox", "on tablets", "on slow connections", "in the kiosk")
MARKETS = ("for Germany", "for France", "in Norway", "in the Netherlands", "for Spain", "in Poland", "for Ireland")
TAGS = (
    "accessibility",
    "customer-request",
    "quick-win",
    "tech-debt",
    "legal",
    "peak-season",
    "mobile",
    "performance",
    "security",
    "ux",
    "needs-design",
    "experiment",
)
SOURCES = ("Support mail", "Shop survey", "Interview", "App store", "Sales call")

REASONS = (
    "Support hears about this several times a week.",
    "We lose people at this step; the funnel shows it clearly.",
    "The old way needs a manual fix every Monday.",
    "It is the most wanted point of the last survey.",
    "Without it the release for the new market is malformed.",
    "It was agreed with finance for this quarter.",
)

CRITERIA = (
    "It works with keyboard alone",
    "Nothing is lost when the page is reloaded",
    "The texts are translated",
    "It is measured: one event when it begins, one when it ends",
    "An error of the provider is told in words people understand",
    "It is behind a switch until support has been briefed",
    "It loads in under a second on a slow connection",
    "Old orders look as they did before",
)

SAME_BUGS: Mapping[str, str] = {
    "Time of collection is": "Sale price ends an",
    "Card retry fails after": "Session is lost when",
    "Back in stock mail": "Refund mail names the",
}
"""Beginnings of bugs with the cause of others, by four words."""

LINKS = (
    ("Survey of customers", "https://survey.example.org/spring"),
    ("Design, version three", "https://design.example.org/shop/v3"),
    ("Notes of the workshop", "https://wiki.example.org/workshop"),
    ("Measurements", "https://dashboards.example.org/funnel"),
)

NOTES = (
    "The provider's sandbox answers with a delay of two seconds; do not take that for our fault.",
    "See the notes of the workshop. The part about the address book is **out of scope** here.",
    "There is a spike in the branch `spike/outbox`; it may be thrown away.",
    "Ask the warehouse before changing the meaning of `reserved`.",
)

COMMENTS = (
    "I can reproduce this on staging, but only with an old session. Logs are attached to the incident.",
    "Retry path is covered by the new test. What is left is the text of the message.",
    "Talked to support: they can live with the work-around until the end of the month.",
    "Shall we split this? The second half depends on the provider.",
    "Estimate was before we knew about the tax rules, I would say twice that.",
    "Done on my side, waiting for review.",
    "Design is in the shared folder, version three. Please ignore the two before.",
    "This was fixed by the change to the session store, could somebody check and close it?",
    "Legal is fine with it as long as the note stays above the button.",
    "I moved the measurement into its own task.",
    "Numbers from last week: 312 people ran into it, 40 of them gave up.",
    "Works for me in the preview. One question: what happens when the basket has expired meanwhile?",
    "Let us take this into the next sprint, the current one is full.",
)

STEPS = (
    "1. Put any article into the basket\n2. Wait until the session has expired\n3. Go to checkout",
    "1. Sign in on two devices\n2. Remove an article on one\n3. Reload on the other",
    "1. Search for `l'eau`\n2. Look at the result",
    "1. Take the slow network profile\n2. Open a product page\n3. Go back before the images have loaded",
)
