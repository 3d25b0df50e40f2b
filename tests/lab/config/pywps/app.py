from pywps import ComplexInput, Format, LiteralInput, LiteralOutput, Process, Service


class Tally(Process):
    def __init__(self):
        super().__init__(
            self.count,
            identifier="tally",
            title="Tally features",
            abstract="Says how many features a GeoJSON document holds.",
            version="1.0",
            inputs=[
                ComplexInput(
                    "features",
                    "Features",
                    supported_formats=[Format("application/geo+json")],
                )
            ],
            outputs=[LiteralOutput("count", "Count", data_type="integer")],
        )

    @staticmethod
    def count(request, response):
        response.outputs["count"].data = request.inputs["features"][0].data.count(
            '"Feature"'
        )
        return response


class Fathoms(Process):
    def __init__(self):
        super().__init__(
            self.convert,
            identifier="fathoms",
            title="Metres to fathoms",
            version="1.1",
            inputs=[LiteralInput("metres", "Metres", data_type="float")],
            outputs=[LiteralOutput("fathoms", "Fathoms", data_type="float")],
        )

    @staticmethod
    def convert(request, response):
        response.outputs["fathoms"].data = request.inputs["metres"][0].data / 1.8288
        return response


application = Service([Tally(), Fathoms()], ["${home}/pywps.cfg"])
